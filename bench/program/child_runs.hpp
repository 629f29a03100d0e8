// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ballast::bench {

/// Runs this program again, once for each number of hardware connections, one after another. Each child has
/// the same standard streams and arguments, but not `option` and its value. CUDA reads the number only once
/// per process, hence the children. Waits for each. After all have run, throws ballast::error with the
/// numbers whose run did not end with 0; also if a run cannot be started. Begins none after an interrupt.
void run_with_connections(std::vector<std::uint32_t> const& counts, std::string const& option);

/// `words` without "--option value" and "--option=value".
std::vector<std::string> without_option(std::vector<std::string> const& words, std::string const& option);

}  // namespace ballast::bench

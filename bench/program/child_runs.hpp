// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ballast::bench {

/// Runs this program again, once after the other for each number of hardware connections, with the words that
/// it was given but for `option` and its value, and the same standard streams. CUDA reads the number once in
/// a process, hence the children. Waits for each. Throws ballast::error naming the numbers whose run did not
/// end with 0, after all have run, or if a run cannot be started; begins none after an interrupt.
void run_with_connections(std::vector<std::uint32_t> const& counts, std::string const& option);

/// `words` without "--option value" and "--option=value".
std::vector<std::string> without_option(std::vector<std::string> const& words, std::string const& option);

}  // namespace ballast::bench

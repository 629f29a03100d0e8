// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ballast::detail {

/// The numbers of the cores that this process may use, ascending.
std::vector<int> usable_cores();
/// Binds the calling thread to a core; a core that is gone meanwhile leaves it unbound.
void bind_thread_to(int core) noexcept;
/// Names the calling thread for debuggers and `top`; 15 characters are kept.
void name_thread(std::string const& name) noexcept;
/// The processor's name as /proc/cpuinfo gives it.
std::string processor_model();

}  // namespace ballast::detail

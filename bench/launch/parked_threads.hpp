// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace ballast::bench {

/// Starts `threads` threads, lets them go together, and takes the seconds from then until each has returned
/// from `work(its number)` and `finish()`, called here after that, too. Throws what they throw.
double seconds_of_threads(std::size_t threads, std::function<void(std::size_t)> const& work,
                          std::function<void()> const& finish);

}  // namespace ballast::bench

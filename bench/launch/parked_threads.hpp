// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace ballast::bench {

/// Starts `threads` threads, lets them go together, and takes the seconds from then until each has returned
/// from `work(its number)` and `finish()`, called here after that, too. Throws what they throw.
double seconds_of_threads(std::size_t threads, std::function<void(std::size_t)> const& work,
                          std::function<void()> const& finish);

/// How threads wait for their start: they look again and again, or the system has to wake them.
enum class thread_start { awake, asleep };

/// Starts `threads` threads that wait for their start, and takes the seconds from then (asleep: from the call
/// that wakes them) until each has returned from `work(its number)` and `finish()`, called here after that,
/// too. The caller looks for their ends without sleeping. Throws what they throw.
double seconds_of_producers(std::size_t threads, thread_start how,
                            std::function<void(std::size_t)> const& work,
                            std::function<void()> const& finish);

}  // namespace ballast::bench

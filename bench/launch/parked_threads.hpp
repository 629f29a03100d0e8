// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace ballast::bench {

/// Starts `threads` threads, releases them together, and calls `finish()` once each has returned from
/// `work(its number)`. Returns the seconds from the release to the end of `finish()`. Throws their
/// exceptions.
double seconds_of_threads(std::size_t threads, std::function<void(std::size_t)> const& work,
                          std::function<void()> const& finish);

/// How threads wait for their start: they poll, or the system must wake them.
enum class thread_start { awake, asleep };

/// Starts `threads` waiting threads, and measures the seconds from their start (asleep: from the call that
/// wakes them) until each has returned from `work(its number)` and `finish()`, called here afterwards, has
/// returned too. The caller polls for their ends. Throws their exceptions.
double seconds_of_producers(std::size_t threads, thread_start how,
                            std::function<void(std::size_t)> const& work,
                            std::function<void()> const& finish);

}  // namespace ballast::bench

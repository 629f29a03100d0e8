// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <time.h>

#include <cstdint>

#include "ballast/version.hpp"

namespace ballast {
class event_count;
}

/// Clocks, sleeps and events for headers that kernel sets include, since <chrono> and <thread> take long to
/// compile (docs/results/builds.md).
namespace ballast::detail {

/// The time of ballast::clock, in nanoseconds.
inline std::uint64_t steady_now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::uint64_t(now.tv_sec) * 1'000'000'000 + std::uint64_t(now.tv_nsec);
}
inline void yield_core() { sched_yield(); }
/// Sleeps for less than a second.
inline void sleep_ns(std::uint32_t ns) {
  timespec const time{0, long(ns)};
  nanosleep(&time, nullptr);
}

///@{
/// The members of event_count with these names.
BALLAST_API void notify(event_count& event);
BALLAST_API std::uint64_t epoch_of(event_count const& event) noexcept;
BALLAST_API bool wait_past(event_count& event, std::uint64_t seen, std::uint32_t milliseconds);
///@}

}  // namespace ballast::detail

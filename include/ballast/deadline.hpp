// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "ballast/version.hpp"

namespace ballast {

/// The clock of every wait and timestamp of the host.
using clock = std::chrono::steady_clock;

/// The longest wait of a call that has neither a deadline nor a timeout in the callee's options. Generous:
/// its purpose is to end waits that hang.
inline constexpr clock::duration default_timeout = std::chrono::minutes(10);

namespace detail {

/// The time that a process slept, as its waits noticed: it was stopped (SIGSTOP), its machine was suspended,
/// or the clock jumped. Any thread may call any member.
class BALLAST_API slept_time {
 public:
  /// The sleep noticed so far.
  clock::duration total() const noexcept { return clock::duration(total_.load(std::memory_order_acquire)); }
  /// Reports that a wait read the clock at `before` and again at `now`. If no wait has read it for more than
  /// `longest` in between, counts the excess as sleep. Reads no clock.
  void look(clock::time_point before, clock::time_point now, clock::duration longest);

 private:
  std::mutex mutex_;
  std::atomic<clock::rep> total_ = 0, latest_ = 0;  // `latest_`: the latest look of any wait
};

/// The slept time of this process, which deadlines do not count.
BALLAST_API slept_time& slept_time_of_process() noexcept;

}  // namespace detail

/// A point in time after which a wait gives up. It moves ahead while the process sleeps, as far as its waits
/// notice (wait_limit), because the awaited work slept as well. Trivially copyable.
class deadline {
 public:
  /// A deadline `timeout` from now; a timeout beyond a century means "never".
  static deadline in(clock::duration timeout) {
    constexpr clock::duration century = std::chrono::hours(24 * 36500);
    if (timeout > century) return never();
    return deadline(clock::now() - detail::slept_time_of_process().total() + (std::max)(timeout, -century));
  }
  /// A deadline that never passes.
  static deadline never() { return deadline((clock::time_point::max)()); }

  /// True if the deadline has passed; reads the clock.
  bool passed() const { return at_ != (clock::time_point::max)() && clock::now() >= at(); }
  /// The point in time, unless the process sleeps until then; clock::time_point::max() if it never passes.
  clock::time_point at() const {
    return at_ == (clock::time_point::max)() ? at_ : at_ + detail::slept_time_of_process().total();
  }

 private:
  explicit deadline(clock::time_point at) : at_(at) {}

  clock::time_point at_;  // without any sleep of the process
};

/// The deadline of one wait, which repeatedly checks whether it has passed. If too much time goes by between
/// two checks, the process slept: all of its deadlines move by that time, and the wait checks its condition
/// once more. Used by one thread at a time. Trivially copyable.
class wait_limit {
 public:
  /// Begins the wait.
  explicit wait_limit(deadline until)
      : until_(until),
        looked_(clock::now()),
        longest_(std::clamp<clock::duration>((until.at() - looked_) / 2, std::chrono::milliseconds(10),
                                             std::chrono::seconds(2))) {}

  /// True if the deadline has passed; reads the clock. Call it again no later than next_look().
  bool passed() {
    if (until_.at() == (clock::time_point::max)()) return false;
    auto const now = clock::now(), before = std::exchange(looked_, now);
    detail::slept_time_of_process().look(before, now, longest_);
    if (now < until_.at()) return false;
    if (now - before <= longest_ || has_looked_once_more_) return true;
    has_looked_once_more_ = true;  // another wait, which checks less often, may not have counted the gap as
                                   // sleep
    until_ = deadline::in(longest_ / 2);
    return false;
  }
  /// The time until which the wait may sleep before it looks again; clock::time_point::max() if the deadline
  /// never passes.
  clock::time_point next_look() const {
    auto const at = until_.at();
    return at == (clock::time_point::max)() ? at : (std::min)(at, looked_ + longest_ / 2);
  }

 private:
  deadline until_;
  clock::time_point looked_;
  clock::duration longest_;  // the longest time between two checks that is no sleep
  bool has_looked_once_more_ = false;
};

}  // namespace ballast

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

/// The longest wait of a call if neither a deadline is passed to it nor a timeout is among the callee's
/// options. Generous: it ends waits that hang.
inline constexpr clock::duration default_timeout = std::chrono::minutes(10);

namespace detail {

/// How long a process slept, as its waits noticed: it was stopped (SIGSTOP), its machine was suspended, or
/// the clock jumped. Any thread may call any member.
class BALLAST_API slept_time {
 public:
  /// What has been noticed so far.
  clock::duration total() const noexcept { return clock::duration(total_.load(std::memory_order_acquire)); }
  /// A wait looked at the clock at `before` and again at `now`. If no wait has looked for more than `longest`
  /// meanwhile, what goes beyond that was slept. Reads no clock.
  void look(clock::time_point before, clock::time_point now, clock::duration longest);

 private:
  std::mutex mutex_;
  std::atomic<clock::rep> total_ = 0, latest_ = 0;  // the latest look of all waits
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
  /// The point in time, as long as the process does not sleep; clock::time_point::max() if it never passes.
  clock::time_point at() const {
    return at_ == (clock::time_point::max)() ? at_ : at_ + detail::slept_time_of_process().total();
  }

 private:
  explicit deadline(clock::time_point at) : at_(at) {}

  clock::time_point at_;  // if the process had not slept
};

/// The deadline of one wait, which looks again and again whether it has passed. If much more time goes by
/// between two looks than there should, the process slept, and all of its deadlines get that time back: the
/// wait looks once more at what it waits for. Used by one thread at a time. Trivially copyable.
class wait_limit {
 public:
  /// The wait begins now.
  explicit wait_limit(deadline until)
      : until_(until),
        looked_(clock::now()),
        longest_(std::clamp<clock::duration>((until.at() - looked_) / 2, std::chrono::milliseconds(10),
                                             std::chrono::seconds(2))) {}

  /// True if the deadline has passed; reads the clock. Call it again by next_look().
  bool passed() {
    if (until_.at() == (clock::time_point::max)()) return false;
    auto const now = clock::now(), before = std::exchange(looked_, now);
    detail::slept_time_of_process().look(before, now, longest_);
    if (now < until_.at()) return false;
    if (now - before <= longest_ || has_looked_once_more_) return true;
    has_looked_once_more_ = true;  // another wait, which looks less often, may have taken it for no sleep
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
  clock::duration longest_;  // between two looks
  bool has_looked_once_more_ = false;
};

}  // namespace ballast

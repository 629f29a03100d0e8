// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "ballast/deadline.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {
class end_listener;

/// Waits until `has_come()` returns true; `changed` signals each change of the result. Returns false if the
/// deadline passes first. The caller holds the mutex.
template <class HasCome>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& hold, deadline until,
                HasCome has_come) {
  for (wait_limit limit(until); !has_come();) {
    if (limit.passed()) return false;
    changed.wait_until(hold, limit.next_look());
  }
  return true;
}

}  // namespace ballast::detail

namespace ballast {

/// Lets host threads sleep until something has happened, at the cost of one uncontended atomic addition for
/// the notifier. Use: `auto const seen = wake_event.epoch(); if (nothing to do) wake_event.wait_past(seen,
/// until);` A notification after epoch() was read is never missed. Any thread may call any member.
class BALLAST_API event_count {
 public:
  /// The number of calls of notify(); pass it to a wait.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_seq_cst); }
  /// Wakes every waiter. The caller's earlier writes are visible to the woken threads.
  void notify();
  /// Sleeps until notify() has been called since `seen` was read, and returns true; returns false if the
  /// deadline passes first.
  bool wait_past(std::uint64_t seen, clock::time_point until);
  /// wait_past() for waits that fail at the deadline: also checks now and then whether the process slept.
  bool wait_past(std::uint64_t seen, deadline until);
  /// Like wait_past(), but spins for some 100 us before it sleeps, because a wake-up takes about as long. For
  /// events that are expected soon.
  bool spin_then_wait_past(std::uint64_t seen, clock::time_point until);
  bool spin_then_wait_past(std::uint64_t seen, deadline until);

  /// Makes notify() also notify `other` from now on, for a thread that waits for several objects. Null ends
  /// that, except for a notify() that has begun.
  void forward_to(std::shared_ptr<detail::end_listener> other);

 private:
  bool spins_past(std::uint64_t seen, clock::time_point until) const;
  bool sleep_past(std::uint64_t seen, wait_limit& limit);

  std::atomic<std::uint64_t> epoch_ = 0;
  std::atomic<std::uint32_t> sleepers_ = 0;  // waiting threads, and one for other_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<detail::end_listener> other_;
};

}  // namespace ballast

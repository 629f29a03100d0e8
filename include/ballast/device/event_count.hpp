// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "ballast/base/deadline.hpp"

namespace ballast::inline device {

/// Lets host threads sleep until something happened, at the price of one uncontended add for who notifies.
/// Use: `auto const seen = wake_event.epoch(); if (nothing to do) wake_event.wait_past(seen, until);`
/// A notification after epoch() was read is never missed. Any thread may call any member.
class event_count {
 public:
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_seq_cst); }
  /// Wakes every waiter. The caller's writes before it are visible to who wakes.
  void notify();
  /// Sleeps until notify() was called since `seen` was read: true; false when the deadline passed first.
  bool wait_past(std::uint64_t seen, clock::time_point until);
  /// The same for what is expected soon: looks for some 100 us before it sleeps, because to be woken takes
  /// about as long.
  bool spin_then_wait_past(std::uint64_t seen, clock::time_point until);

 private:
  std::atomic<std::uint64_t> epoch_ = 0;
  std::atomic<std::uint32_t> sleepers_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace ballast::inline device

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace ballast::detail {

/// A lock that costs the thread which takes it again and again no atomic exchange, which would wait until
/// every store before it has left the core, cache misses and all.
///
/// Asymmetric Dekker synchronization (Dice, Huang, Yang 2001; C++ paper P1202). Such a thread gets the bias:
/// it stores that it is inside and then looks whether the bias is still its own, in this order to the
/// compiler but without a fence. Another thread that wants the lock takes the bias away, has the system run a
/// full fence on every core that runs this process (Linux: membarrier), and only then looks whether the owner
/// is inside. Without such a fence nobody gets the bias, and the lock is an exchange.
///
/// Any thread may call. The holder must not take the lock again, and unlocks it itself.
class biased_lock {
 public:
  /// A thread gets the bias when it takes the lock this many times in a row with no other between: taking a
  /// bias away costs a call into the system.
  static constexpr std::uint32_t acquisitions_before_bias = 256;
  /// This many threads may have the bias in the lock's life; others take the lock by exchange.
  static constexpr std::uint32_t max_owners = 8;

  biased_lock();
  biased_lock& operator=(biased_lock&&) = delete;

  /// Waits for nothing; false if another thread holds the lock or tries to take it at the moment.
  bool try_lock() {
    auto const me = number_of_this_thread();
    return lock_by_bias(me) || lock_by_exchange(me);
  }
  void unlock() { taken_->store(0, std::memory_order_release); }
  bool is_biased_to_this_thread() const;

  /// True if this system has the fence, so that there is a bias at all.
  static bool can_be_biased();

 private:
  /// The word in which an owner says that it is inside. A seat never passes to another thread: its owner may
  /// have lost the bias long ago and still be about to write, before it sees the loss.
  struct seat {
    std::uint64_t owner = 0;  ///< number of its thread; 0: free
    std::atomic<std::uint32_t> inside = 0;
  };
  static inline constinit thread_local std::uint64_t thread_number = 0;

  /// Counts from 1. A number is never given again, as an address might be.
  static std::uint64_t number_of_this_thread() {
    if (thread_number == 0) thread_number = next_thread_number();
    return thread_number;
  }
  static std::uint64_t next_thread_number();

  bool lock_by_bias(std::uint64_t me) {
    auto* const mine = biased_to_.load(std::memory_order_acquire);
    if (mine == nullptr || mine->owner != me) return false;
    mine->inside.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // its other half is the fence in revoke_bias()
    if (biased_to_.load(std::memory_order_relaxed) != mine) return turn_back(*mine);
    taken_ = &mine->inside;
    return true;
  }
  static bool turn_back(seat& mine);
  bool lock_by_exchange(std::uint64_t me);
  bool revoke_bias();
  void count_acquisition(std::uint64_t me);
  seat* seat_of(std::uint64_t thread);

  std::atomic<seat*> biased_to_ = nullptr;  ///< written by the holder of held_
  std::atomic<std::uint32_t> held_ = 0;     ///< by a thread that has or wants the lock without the bias

  // For the lock's holder.
  std::uint32_t consecutive_acquisitions_ = 0;
  std::uint64_t last_acquirer_ = 0;              ///< the last one to take it without the bias
  seat* revoked_ = nullptr;                      ///< had the bias last and may still be inside
  std::atomic<std::uint32_t>* taken_ = nullptr;  ///< what to clear when it lets go
  seat seats_[max_owners];
};

}  // namespace ballast::detail

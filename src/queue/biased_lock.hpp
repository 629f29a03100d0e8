// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace ballast::detail {

/// A lock without an atomic exchange for a thread that takes it repeatedly. An exchange would wait until
/// every earlier store has left the core, including cache misses.
///
/// Asymmetric Dekker synchronization (Dice, Huang, Yang 2001; C++ paper P1202). Such a thread gets the bias:
/// it stores that it is inside and then checks whether it still has the bias. Only the compiler keeps this
/// order; there is no fence. Another thread that wants the lock takes the bias away, has the system run a
/// full fence on every core that runs this process (Linux: membarrier), and only then looks whether the owner
/// is inside. Without such a fence no thread gets the bias, and the lock is an exchange.
///
/// Any thread may call. The holder must not take the lock again, and unlocks it itself.
class biased_lock {
 public:
  /// A thread gets the bias when it takes the lock this many times in a row with no other in between:
  /// revoking a bias costs a system call.
  static constexpr std::uint32_t acquisitions_before_bias = 256;
  /// This many threads may have the bias in the lock's life; others take the lock by exchange.
  static constexpr std::uint32_t max_owners = 8;

  biased_lock();
  biased_lock& operator=(biased_lock&&) = delete;

  /// Does not wait; false if another thread holds the lock or is trying to take it.
  bool try_lock() {
    auto const me = number_of_this_thread();
    return lock_by_bias(me) || lock_by_exchange(me);
  }
  void unlock() { taken_->store(0, std::memory_order_release); }
  bool is_biased_to_this_thread() const;

  /// True if this system has the fence, without which there is no bias.
  static bool can_be_biased();

 private:
  /// The word in which an owner stores that it is inside. A seat never passes to another thread: its owner
  /// may have lost the bias long ago and still be about to write, before it sees the loss.
  struct seat {
    std::uint64_t owner = 0;  ///< number of its thread; 0: free
    std::atomic<std::uint32_t> inside = 0;
  };
  static inline constinit thread_local std::uint64_t thread_number = 0;

  /// Counts from 1. Numbers are never reused, as addresses might be.
  static std::uint64_t number_of_this_thread() {
    if (thread_number == 0) thread_number = next_thread_number();
    return thread_number;
  }
  static std::uint64_t next_thread_number();

  bool lock_by_bias(std::uint64_t me) {
    auto* const mine = biased_to_.load(std::memory_order_acquire);
    if (mine == nullptr || mine->owner != me) return false;
    mine->inside.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // its counterpart is the fence in revoke_bias()
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
  std::atomic<std::uint32_t> held_ = 0;     ///< 1 while a thread has or wants the lock without the bias

  // For the lock's holder.
  std::uint32_t consecutive_acquisitions_ = 0;
  std::uint64_t last_acquirer_ = 0;  ///< the last thread to take it without the bias
  seat* revoked_ = nullptr;          ///< the seat that had the bias last; its owner may still be inside
  std::atomic<std::uint32_t>* taken_ = nullptr;  ///< the word to clear on unlock
  seat seats_[max_owners];
};

}  // namespace ballast::detail

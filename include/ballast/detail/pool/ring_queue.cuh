// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The words of a ring_queue beside its slots; all bits zero, also in the slots, is an empty ring.
struct ring_queue_words {
  alignas(128) std::uint32_t used;    ///< slots that are claimed or hold a record; briefly more when full
  alignas(128) std::uint32_t stored;  ///< available records (signed); briefly fewer when empty
  alignas(128) std::uint32_t tail;    ///< the next pusher's ticket
  alignas(128) std::uint32_t head;    ///< the next popper's ticket
};

/// A slot of a ring_queue. Its turn is the lap of its next ticket while the slot waits for a pusher, and that
/// lap + 1 while it waits for a popper.
template <class Record>
struct ring_slot {
  std::uint32_t turn;
  record_slot<Record> record;
};

enum class push_outcome : std::uint32_t {
  stored,  ///< the ring holds the record
  full,    ///< nothing has changed; the caller keeps the record
  stalled  ///< keep_waiting() returned false after the ticket was taken: the caller keeps the record, the
           ///< ring must be given up
};

enum class pop_outcome : std::uint32_t {
  taken,   ///< the caller has the record
  empty,   ///< nothing has changed
  stalled  ///< keep_waiting() returned false after the ticket was taken: its record stays in the ring, which
           ///< must be given up
};

/// A bounded first-in first-out queue for any number of pushers and poppers: tickets by fetch-and-add and a
/// turn per slot (D. Vyukov, "Bounded MPMC queue", 2010), behind counts that are read first, so that no
/// ticket of a full or empty ring is taken in vain (after B. Kerbl and others, "The broker queue", ICS 2018).
/// The broker queue has one count, which poppers of an empty ring lower for a moment; pushers may then take a
/// ticket without a slot. Here each side has its own count, which the other side only moves towards success.
/// `full` and `empty` are hints while other threads push or pop: a record may be in transit. With a ticket, a
/// call waits only for a thread in the middle of its own push or pop on that slot: on a GPU all users must be
/// resident together, and the lanes of a warp must not wait for one another.
template <class Record, template <class> class Atomic = device_atomic>
class ring_queue_ref {
 public:
  using slot = ring_slot<Record>;

  ring_queue_ref() = default;
  /// A view of `words` and of `capacity` slots (a power of two, 2 to 2^30), cleared before, which outlive it.
  BALLAST_HD ring_queue_ref(ring_queue_words* words, slot* slots, std::uint32_t capacity)
      : words_(words), slots_(slots), capacity_(capacity) {}

  /// Any thread. Adds a record unless the ring is full. `keep_waiting()` is called after each poll of a slot
  /// that is not free yet; if it returns false, which should mean that the run has failed, the wait ends
  /// (`stalled`).
  template <class KeepWaiting>
  BALLAST_HD push_outcome push(Record const& record, KeepWaiting&& keep_waiting) const {
    if (!claim_room()) return push_outcome::full;
    std::uint32_t const ticket = word(words_[0].tail).add_relaxed(1);
    slot& mine = at(ticket);
    if (!await(mine, lap(ticket), keep_waiting)) return push_outcome::stalled;
    mine.record.template write<Atomic>(record);
    word(mine.turn).store_release(lap(ticket) + 1);
    word(words_[0].stored).add_relaxed(1);
    return push_outcome::stored;
  }

  /// Any thread. Takes the oldest record unless there is none; `record` is unchanged unless the outcome is
  /// `taken`. A call on an empty ring usually only reads. `keep_waiting` as in push().
  template <class KeepWaiting>
  BALLAST_HD pop_outcome pop(Record& record, KeepWaiting&& keep_waiting) const {
    if (!claim_record()) return pop_outcome::empty;
    std::uint32_t const ticket = word(words_[0].head).add_relaxed(1);
    slot& mine = at(ticket);
    if (!await(mine, lap(ticket) + 1, keep_waiting)) return pop_outcome::stalled;
    record = mine.record.template read<Atomic>();
    word(mine.turn).store_release(lap(ticket) + capacity_);
    word(words_[0].used).add_relaxed(less_one);
    return pop_outcome::taken;
  }

  /// The number of records; only a hint while other threads push or pop.
  BALLAST_HD std::uint32_t size() const {
    auto const stored = static_cast<std::int32_t>(word(words_[0].stored).load_relaxed());
    return stored > 0 ? std::uint32_t(stored) : 0;
  }

 private:
  static constexpr std::uint32_t less_one = 0xffffffff;

  BALLAST_HD static Atomic<std::uint32_t> word(std::uint32_t& of) { return Atomic<std::uint32_t>(of); }
  BALLAST_HD slot& at(std::uint32_t ticket) const { return slots_[ticket & (capacity_ - 1)]; }
  BALLAST_HD std::uint32_t lap(std::uint32_t ticket) const { return ticket & ~(capacity_ - 1); }

  BALLAST_HD bool claim_room() const {
    auto const used = word(words_[0].used);
    if (used.load_relaxed() >= capacity_) return false;
    if (used.add_relaxed(1) < capacity_) return true;
    used.add_relaxed(less_one);
    return false;
  }

  BALLAST_HD bool claim_record() const {
    auto const stored = word(words_[0].stored);
    if (static_cast<std::int32_t>(stored.load_relaxed()) <= 0) return false;
    if (static_cast<std::int32_t>(stored.add_relaxed(less_one)) > 0) return true;
    stored.add_relaxed(1);
    return false;
  }

  /// Polls relaxed and acquires once, since an acquiring poll would empty a GPU's L1 each time.
  template <class KeepWaiting>
  BALLAST_HD static bool await(slot& mine, std::uint32_t turn, KeepWaiting& keep_waiting) {
    while (word(mine.turn).load_relaxed() != turn)
      if (!keep_waiting()) return false;
    acquire_polled(word(mine.turn));
    return true;
  }

  array_ref<ring_queue_words> words_;
  array_ref<slot> slots_;
  std::uint32_t capacity_ = 0;
};

}  // namespace ballast::detail

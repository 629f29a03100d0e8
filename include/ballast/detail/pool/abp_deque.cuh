// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The words of an abp_deque beside its slots; all bits zero is an empty deque.
struct abp_deque_words {
  alignas(128) std::uint64_t head;  ///< tag << 32 | index of the oldest record
  alignas(128) std::uint32_t tail;  ///< index of the first slot that holds no record
};

/// A deque in an array with one owner and any number of thieves: N. S. Arora, R. D. Blumofe, C. G. Plaxton,
/// "Thread scheduling for multiprogrammed multiprocessors", SPAA 1998; used on a GPU by Mohan and Gopalan
/// 2014. The owner pushes and pops at the tail (last in, first out), thieves steal at the head (first in,
/// first out). A slot from which a record was stolen is free again only after the owner has found the deque
/// empty: then it starts anew at slot 0 and counts up the tag, so that a thief that still holds the old head
/// cannot take the slot's new record for the old one. (Fails if the tag wraps, 2^32 times empty, during one
/// steal.) No call waits. The owner is one thread at a time; handing the role on needs synchronisation.
template <class Record, template <class> class Atomic = device_atomic>
class abp_deque_ref {
 public:
  using slot = record_slot<Record>;

  abp_deque_ref() = default;
  /// A view of `words` and of `capacity` (1 to 2^32 - 1) slots, which outlive it. Slots need no initial
  /// value.
  BALLAST_HD abp_deque_ref(abp_deque_words* words, slot* slots, std::uint32_t capacity)
      : words_(words), slots_(slots), capacity_(capacity) {}

  /// How many records it holds; a hint while others steal.
  BALLAST_HD std::uint32_t size() const {
    std::uint32_t const end = tail().load_relaxed(), first = oldest(head().load_relaxed());
    return end > first ? end - first : 0;
  }

  /// Owner only. Adds a record as the newest; false, and nothing has changed, if no slot is left behind the
  /// newest.
  BALLAST_HD bool push(Record const& record) const {
    auto const slots = free_places(1);
    if (slots.count == 0) return false;
    at(slots.first).template write<Atomic>(record);
    publish(slots);
    return true;
  }

  /// Owner only. Takes the newest record; false, and `record` is unchanged, if there is none.
  BALLAST_HD bool pop(Record& record) const {
    index last = 0;
    if (!take_newest(last)) return false;
    record = at(last).template read<Atomic>();
    return true;
  }

  /// Any thread. Takes the oldest record; `record` is unchanged unless the outcome is `taken`.
  BALLAST_HD steal_outcome steal(Record& record) const {
    std::uint64_t seen = 0;
    if (!find_oldest(seen)) return steal_outcome::empty;
    Record const candidate = at(oldest(seen)).template read<Atomic>();
    if (!claim(seen)) return steal_outcome::lost_race;
    record = candidate;
    return steal_outcome::taken;
  }

  // What push(), pop() and steal() are made of, for an owner or a thief that is several threads: one of them
  // calls these, and between them all copy words of slots, behind a barrier of theirs and before another.

  using index = std::uint32_t;  ///< of a slot, below the capacity
  /// Slots first .. first + count - 1.
  struct places {
    index first;
    std::uint32_t count;
  };
  /// Owner only. Slots for new records: `count`, or as many as there are.
  BALLAST_HD places free_places(std::uint32_t count) const {
    index const end = tail().load_relaxed();
    std::uint32_t const room = capacity_ - end;
    return {end, count < room ? count : room};
  }
  /// Owner only. What was written there joins the deque.
  BALLAST_HD void publish(places const& written) const {
    if (written.count != 0) tail().store_release(written.first + written.count);
  }
  /// Owner only. Takes the newest record, which is in slot `place` until the owner publishes again. Records
  /// taken one after another lie in slots place, place - 1, ...
  BALLAST_HD bool take_newest(index& place) const {
    index const end = tail().load_relaxed();
    if (end == 0) return false;
    index const last = place = end - 1;
    tail().store_sequential(last);
    Atomic<std::uint32_t>::fence_sequential();
    std::uint64_t const seen = head().load_sequential();
    return last > oldest(seen) || start_anew(last, seen);
  }
  /// Any thread. Whether there is a record to steal, in slot oldest(seen): it may be read, and is the
  /// thief's if claim(seen) then says so.
  BALLAST_HD bool find_oldest(std::uint64_t& seen) const {
    seen = head().load_sequential();
    Atomic<std::uint64_t>::fence_sequential();
    return tail().load_sequential() > oldest(seen);
  }
  BALLAST_HD bool claim(std::uint64_t seen) const { return head().compare_exchange_acq_rel(seen, seen + 1); }
  BALLAST_HD static index oldest(std::uint64_t seen) { return static_cast<index>(seen); }
  BALLAST_HD slot& at(index place) const { return slots_[place]; }

 private:
  BALLAST_HD Atomic<std::uint64_t> head() const { return Atomic<std::uint64_t>(words_[0].head); }
  BALLAST_HD Atomic<std::uint32_t> tail() const { return Atomic<std::uint32_t>(words_[0].tail); }
  BALLAST_HD static std::uint64_t next_tag(std::uint64_t head) { return ((head >> 32) + 1) << 32; }

  /// The deque becomes empty. True if its last record fell to the owner. The tail is written before the head
  /// is released, so that a thief with the new tag does not see the old tail.
  BALLAST_HD bool start_anew(std::uint32_t last, std::uint64_t seen) const {
    tail().store_relaxed(0);
    if (last == oldest(seen) && head().compare_exchange_acq_rel(seen, next_tag(seen))) return true;
    head().store_release(next_tag(seen));
    return false;
  }

  array_ref<abp_deque_words> words_;
  array_ref<slot> slots_;
  std::uint32_t capacity_ = 0;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The words of a chase_lev_deque beside its slots; all bits zero is an empty deque. Indices only grow (but
/// for the moment of a pop), so they need no tag: 2^63 records are never reached.
struct chase_lev_deque_words {
  alignas(128) std::uint64_t top;     ///< index of the oldest record
  alignas(128) std::uint64_t bottom;  ///< index behind the newest record
};

/// A deque in a circular array with one owner and any number of thieves: D. Chase, Y. Lev, "Dynamic circular
/// work-stealing deque", SPAA 2005, with the memory orders of N. M. Le, A. Pop, A. Cohen, F. Zappa Nardelli,
/// "Correct and efficient work-stealing for weak memory models", PPoPP 2013. The array does not grow: a push
/// into a full deque is refused. The paper's compare-exchange is sequentially consistent; here it acquires
/// and releases, which suffices since C++20 orders sequentially consistent loads by what they read also
/// through such a write (and a GPU has no stronger one: the fences do it). The owner pushes and pops at the
/// bottom (last in, first out), thieves steal at the top (first in, first out). No call waits. The owner is
/// one thread at a time; handing the role on needs synchronisation.
template <class Record, template <class> class Atomic = device_atomic>
class chase_lev_deque_ref {
 public:
  using slot = record_slot<Record>;

  chase_lev_deque_ref() = default;
  /// A view of `words` and of `capacity` slots (a power of two, 1 to 2^31), which outlive it. Slots need no
  /// initial value.
  BALLAST_HD chase_lev_deque_ref(chase_lev_deque_words* words, slot* slots, std::uint32_t capacity)
      : words_(words), slots_(slots), capacity_(capacity) {}

  /// How many records it holds; a hint while others steal.
  BALLAST_HD std::uint32_t size() const {
    std::uint64_t const first = top().load_relaxed(), end = bottom().load_relaxed();
    return is_before(first, end) ? static_cast<std::uint32_t>(end - first) : 0;
  }

  /// Owner only. Adds a record as the newest; false, and nothing has changed, if the deque holds `capacity`.
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

  /// Counts slots from the first push on; at(i) is the same for the i's that are equal modulo the capacity.
  using index = std::uint64_t;
  /// Slots first .. first + count - 1.
  struct places {
    index first;
    std::uint32_t count;
  };
  /// Owner only. Slots for new records: `count`, or as many as there are.
  BALLAST_HD places free_places(std::uint32_t count) const {
    index const end = bottom().load_relaxed();
    auto const room = capacity_ - static_cast<std::uint32_t>(end - top().load_acquire());
    return {end, count < room ? count : room};
  }
  /// Owner only. What was written there joins the deque.
  BALLAST_HD void publish(places const& written) const {
    if (written.count != 0) bottom().store_release(written.first + written.count);
  }
  /// Owner only. Takes the newest record, which is in slot `place` until the owner publishes again. Records
  /// taken one after another lie in slots place, place - 1, ...
  BALLAST_HD bool take_newest(index& place) const {
    index const last = place = bottom().load_relaxed() - 1;
    bottom().store_sequential(last);
    Atomic<std::uint64_t>::fence_sequential();
    std::uint64_t const seen = top().load_sequential();
    if (is_before(seen, last)) return true;
    bool const is_won = last == seen && claim(seen);
    bottom().store_relaxed(last + 1);
    return is_won;
  }
  /// Any thread. Whether there is a record to steal, in slot oldest(seen): it may be read, and is the
  /// thief's if claim(seen) then says so.
  BALLAST_HD bool find_oldest(std::uint64_t& seen) const {
    seen = top().load_sequential();
    Atomic<std::uint64_t>::fence_sequential();
    return is_before(seen, bottom().load_sequential());
  }
  BALLAST_HD bool claim(std::uint64_t seen) const { return top().compare_exchange_acq_rel(seen, seen + 1); }
  BALLAST_HD static index oldest(std::uint64_t seen) { return seen; }
  BALLAST_HD slot& at(index place) const { return slots_[place & (capacity_ - 1)]; }

 private:
  BALLAST_HD Atomic<std::uint64_t> top() const { return Atomic<std::uint64_t>(words_[0].top); }
  BALLAST_HD Atomic<std::uint64_t> bottom() const { return Atomic<std::uint64_t>(words_[0].bottom); }

  /// The bottom of an empty deque is for a moment one below its top, and so -1 at first.
  BALLAST_HD static bool is_before(std::uint64_t index, std::uint64_t end) {
    return static_cast<std::int64_t>(end - index) > 0;
  }

  array_ref<chase_lev_deque_words> words_;
  array_ref<slot> slots_;
  std::uint32_t capacity_ = 0;
};

}  // namespace ballast::detail

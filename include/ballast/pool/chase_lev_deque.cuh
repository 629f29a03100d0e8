// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/device/array_ref.cuh"
#include "ballast/device/atomic_ref.cuh"
#include "ballast/pool/record_slot.cuh"

namespace ballast::inline pool {

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
    std::uint64_t const oldest = top().load_relaxed(), end = bottom().load_relaxed();
    return is_before(oldest, end) ? static_cast<std::uint32_t>(end - oldest) : 0;
  }

  /// Owner only. Adds a record as the newest; false, and nothing has changed, if the deque holds `capacity`.
  BALLAST_HD bool push(Record const& record) const {
    return push_many(1, [&](std::uint32_t) -> Record const& { return record; }) == 1;
  }
  /// Owner only. Adds record(0), record(1), ... up to `count` of them, as many as there is room for; says how
  /// many.
  template <class From>
  BALLAST_HD std::uint32_t push_many(std::uint32_t count, From const& record) const {
    std::uint64_t const end = bottom().load_relaxed();
    auto const room = capacity_ - static_cast<std::uint32_t>(end - top().load_acquire());
    std::uint32_t const added = count < room ? count : room;
    for (std::uint32_t i = 0; i < added; ++i) at(end + i).template write<Atomic>(record(i));
    if (added != 0) bottom().store_release(end + added);
    return added;
  }

  /// Owner only. Takes the newest record; false, and `record` is unchanged, if there is none.
  BALLAST_HD bool pop(Record& record) const {
    std::uint64_t const last = bottom().load_relaxed() - 1;
    bottom().store_sequential(last);
    Atomic<std::uint64_t>::fence_sequential();
    std::uint64_t const oldest = top().load_sequential();
    if (is_before(oldest, last)) return take(last, record);
    bool const is_won = last == oldest && top().replace_acq_rel(oldest, oldest + 1);
    bottom().store_relaxed(last + 1);
    return is_won && take(last, record);
  }

  /// Any thread. Takes the oldest record; `record` is unchanged unless the outcome is `taken`.
  BALLAST_HD steal_outcome steal(Record& record) const {
    std::uint64_t const oldest = top().load_sequential();
    Atomic<std::uint64_t>::fence_sequential();
    if (!is_before(oldest, bottom().load_sequential())) return steal_outcome::empty;
    Record const candidate = at(oldest).template read<Atomic>();
    if (!top().replace_acq_rel(oldest, oldest + 1)) return steal_outcome::lost_race;
    record = candidate;
    return steal_outcome::taken;
  }

 private:
  BALLAST_HD Atomic<std::uint64_t> top() const { return Atomic<std::uint64_t>(words_[0].top); }
  BALLAST_HD Atomic<std::uint64_t> bottom() const { return Atomic<std::uint64_t>(words_[0].bottom); }
  BALLAST_HD slot& at(std::uint64_t index) const { return slots_[index & (capacity_ - 1)]; }

  /// The bottom of an empty deque is for a moment one below its top, and so -1 at first.
  BALLAST_HD static bool is_before(std::uint64_t index, std::uint64_t end) {
    return static_cast<std::int64_t>(end - index) > 0;
  }

  BALLAST_HD bool take(std::uint64_t index, Record& record) const {
    record = at(index).template read<Atomic>();
    return true;
  }

  array_ref<chase_lev_deque_words> words_;
  array_ref<slot> slots_;
  std::uint32_t capacity_ = 0;
};

}  // namespace ballast::inline pool

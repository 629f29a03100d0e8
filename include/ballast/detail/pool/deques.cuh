// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// push(), pop() and steal() of a deque with one owner and any number of thieves, composed of the deque's
/// parts free_places(), publish(), take_newest(), find_oldest() and claim(). An owner or thief that consists
/// of several threads uses the parts instead: one thread calls the parts, and between two calls all threads
/// copy words of slots, with a barrier before and a barrier after the copy.
template <class Deque, class Record, template <class> class Atomic>
class owned_deque {
 public:
  /// Owner only. Adds a record as the newest; false, and nothing has changed, if there is no free slot.
  BALLAST_HD bool push(Record const& record) const {
    auto const slots = self().free_places(1);
    if (slots.count == 0) return false;
    self().at(slots.first).template write<Atomic>(record);
    self().publish(slots);
    return true;
  }

  /// Owner only. Takes the newest record; false, and `record` is unchanged, if there is none.
  BALLAST_HD bool pop(Record& record) const {
    typename Deque::index last = 0;
    if (!self().take_newest(last)) return false;
    record = self().at(last).template read<Atomic>();
    return true;
  }

  /// Any thread. Takes the oldest record; `record` is unchanged unless the outcome is `taken`.
  BALLAST_HD steal_outcome steal(Record& record) const {
    std::uint64_t seen = 0;
    if (!self().find_oldest(seen)) return steal_outcome::empty;
    Record const candidate = self().at(Deque::oldest(seen)).template read<Atomic>();
    if (!self().claim(seen)) return steal_outcome::lost_race;
    record = candidate;
    return steal_outcome::taken;
  }

 private:
  BALLAST_HD Deque const& self() const { return static_cast<Deque const&>(*this); }
};

/// The words of an abp_deque beside its slots; all bits zero is an empty deque.
struct abp_deque_words {
  alignas(128) std::uint64_t head;  ///< tag << 32 | index of the oldest record
  alignas(128) std::uint32_t tail;  ///< index of the first slot that holds no record
};

/// A deque in an array with one owner and any number of thieves: N. S. Arora, R. D. Blumofe, C. G. Plaxton,
/// "Thread scheduling for multiprogrammed multiprocessors", SPAA 1998. Mohan and Gopalan 2014 used it on a
/// GPU. The owner pushes and pops at the tail (last in, first out), thieves steal at the head (first in,
/// first out). A slot from which a record was stolen is free again only after the owner has found the deque
/// empty: then the owner restarts at slot 0 and increments the tag, so that a thief that still holds the old
/// head cannot take the slot's new record for the old one. (Fails if the tag wraps, 2^32 times empty, during
/// one steal.) No call waits. The owner is one thread at a time; passing the role on needs synchronisation.
template <class Record, template <class> class Atomic = device_atomic>
class abp_deque_ref : public owned_deque<abp_deque_ref<Record, Atomic>, Record, Atomic> {
 public:
  using slot = record_slot<Record>;

  abp_deque_ref() = default;
  /// A view of `words` and of `capacity` (1 to 2^32 - 1) slots, which outlive it. Slots need no initial
  /// value.
  BALLAST_HD abp_deque_ref(abp_deque_words* words, slot* slots, std::uint32_t capacity)
      : words_(words), slots_(slots), capacity_(capacity) {}

  /// The number of records; only a hint while others steal.
  BALLAST_HD std::uint32_t size() const {
    std::uint32_t const end = tail().load_relaxed(), first = oldest(head().load_relaxed());
    return end > first ? end - first : 0;
  }

  // The parts of push(), pop() and steal().

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
  /// Owner only. Adds the records written there to the deque.
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
  /// True if slot oldest(seen) has a record to steal. Any thread may read it; it belongs to the thief only if
  /// claim(seen) then succeeds.
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

  /// Empties the deque. True if the owner got its last record. The tail is written before the head is
  /// released, so a thief with the new tag does not see the old tail.
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

/// The words of a chase_lev_deque beside its slots; all bits zero is an empty deque. Indices only grow (but
/// for the moment of a pop), so they need no tag: 2^63 records are never reached.
struct chase_lev_deque_words {
  alignas(128) std::uint64_t top;     ///< index of the oldest record
  alignas(128) std::uint64_t bottom;  ///< one past the index of the newest record
};

/// A deque in a circular array with one owner and any number of thieves: D. Chase, Y. Lev, "Dynamic circular
/// work-stealing deque", SPAA 2005, with the memory orders of N. M. Le, A. Pop, A. Cohen, F. Zappa Nardelli,
/// "Correct and efficient work-stealing for weak memory models", PPoPP 2013. The array does not grow: a push
/// into a full deque is refused. The paper's compare-exchange is sequentially consistent; here it acquires
/// and releases, which suffices since C++20 orders sequentially consistent loads by what they read also
/// through such a write (and a GPU has no stronger one: the fences do it). The owner pushes and pops at the
/// bottom (last in, first out), thieves steal at the top (first in, first out). No call waits. The owner is
/// one thread at a time; passing the role on needs synchronisation.
template <class Record, template <class> class Atomic = device_atomic>
class chase_lev_deque_ref : public owned_deque<chase_lev_deque_ref<Record, Atomic>, Record, Atomic> {
 public:
  using slot = record_slot<Record>;

  chase_lev_deque_ref() = default;
  /// A view of `words` and of `capacity` slots (a power of two, 1 to 2^31), which outlive it. Slots need no
  /// initial value.
  BALLAST_HD chase_lev_deque_ref(chase_lev_deque_words* words, slot* slots, std::uint32_t capacity)
      : words_(words), slots_(slots), capacity_(capacity) {}

  /// The number of records; only a hint while others steal.
  BALLAST_HD std::uint32_t size() const {
    std::uint64_t const first = top().load_relaxed(), end = bottom().load_relaxed();
    return is_before(first, end) ? static_cast<std::uint32_t>(end - first) : 0;
  }

  // The parts of push(), pop() and steal().

  /// Counts slots from the first push on; at(i) is the same for all i that are equal modulo the capacity.
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
  /// Owner only. Adds the records written there to the deque.
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
  /// Any thread. True if there is a record to steal, in slot oldest(seen). Any thread may read it; it belongs
  /// to the thief only if claim(seen) then succeeds.
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

  /// During a pop the bottom of an empty deque is one below its top, and so -1 at first.
  BALLAST_HD static bool is_before(std::uint64_t index, std::uint64_t end) {
    return static_cast<std::int64_t>(end - index) > 0;
  }

  array_ref<chase_lev_deque_words> words_;
  array_ref<slot> slots_;
  std::uint32_t capacity_ = 0;
};

/// The word of a tagged_deque beside its slots; all bits zero is an empty deque.
struct tagged_deque_words {
  alignas(128) std::uint64_t ends;  ///< tag << 48 | bottom << 24 | top: indices modulo 2^24
};

/// A deque with one owner and any number of thieves whose two ends and tag share one word, so that every
/// change is one atomic operation on it and no sequentially consistent fence is needed: the public half of a
/// split work queue (J. Dinan and others, "Scalable work stealing", SC 2009; T. van Dijk, J. van de Pol,
/// "Lace", 2014), meant for few large records such as chunks of tasks. The owner pushes and pops at the
/// bottom (last in, first out), thieves steal at the top (first in, first out). A pop increments the tag, so
/// that a thief that read a slot before does not mistake its next record for the old one. (Fails if the tag
/// wraps, 65 536 pops, during one steal.) No call waits. The owner is one thread at a time.
template <class Record, template <class> class Atomic = device_atomic>
class tagged_deque_ref {
 public:
  using slot = record_slot<Record>;

  tagged_deque_ref() = default;
  /// A view of `words` and of `capacity` slots (a power of two, 1 to 2^23), which outlive it. Slots need no
  /// initial value.
  BALLAST_HD tagged_deque_ref(tagged_deque_words* words, slot* slots, std::uint32_t capacity)
      : words_(words), slots_(slots), capacity_(capacity) {}

  /// The number of records; only a hint for other threads than the owner.
  BALLAST_HD std::uint32_t size() const { return size_of(ends().load_relaxed()); }

  /// Owner only. Adds a record as the newest; false, and nothing has changed, if the deque holds `capacity`.
  BALLAST_HD bool push(Record const& record) const {
    std::uint64_t const seen = ends().load_acquire();  // a thief has read the slot that is overwritten now
    if (size_of(seen) >= capacity_) return false;
    at(bottom_of(seen)).template write<Atomic>(record);
    ends().add_release(one_at_bottom);  // its carry increments the tag, which does no harm
    return true;
  }

  /// Owner only. Takes the newest record; false, and `record` is unchanged, if there is none.
  BALLAST_HD bool pop(Record& record) const {
    for (;;) {
      std::uint64_t const seen = ends().load_relaxed();
      if (size_of(seen) == 0) return false;
      std::uint32_t const last = (bottom_of(seen) - 1) & index_mask;
      Record const candidate = at(last).template read<Atomic>();
      if (!ends().compare_exchange_acq_rel(seen, word(tag_of(seen) + 1, last, top_of(seen)))) continue;
      record = candidate;
      return true;
    }
  }

  /// Any thread. Takes the oldest record; `record` is unchanged unless the outcome is `taken`.
  BALLAST_HD steal_outcome steal(Record& record) const {
    if (size_of(ends().load_relaxed()) == 0) return steal_outcome::empty;
    std::uint64_t const seen = ends().load_acquire();
    if (size_of(seen) == 0) return steal_outcome::empty;
    Record const candidate = at(top_of(seen)).template read<Atomic>();
    if (!ends().compare_exchange_acq_rel(seen, word(tag_of(seen), bottom_of(seen), top_of(seen) + 1)))
      return steal_outcome::lost_race;
    record = candidate;
    return steal_outcome::taken;
  }

 private:
  static constexpr std::uint32_t index_bits = 24, index_mask = (1u << index_bits) - 1;
  static constexpr std::uint64_t one_at_bottom = std::uint64_t(1) << index_bits;

  BALLAST_HD Atomic<std::uint64_t> ends() const { return Atomic<std::uint64_t>(words_[0].ends); }
  BALLAST_HD slot& at(std::uint32_t index) const { return slots_[index & (capacity_ - 1)]; }
  BALLAST_HD static std::uint32_t top_of(std::uint64_t ends) { return std::uint32_t(ends) & index_mask; }
  BALLAST_HD static std::uint32_t bottom_of(std::uint64_t ends) {
    return std::uint32_t(ends >> index_bits) & index_mask;
  }
  BALLAST_HD static std::uint64_t tag_of(std::uint64_t ends) { return ends >> (2 * index_bits); }
  BALLAST_HD static std::uint32_t size_of(std::uint64_t ends) {
    return (bottom_of(ends) - top_of(ends)) & index_mask;
  }
  BALLAST_HD static std::uint64_t word(std::uint64_t tag, std::uint32_t bottom, std::uint32_t top) {
    return tag << (2 * index_bits) | std::uint64_t(bottom) << index_bits | (top & index_mask);
  }

  array_ref<tagged_deque_words> words_;
  array_ref<slot> slots_;
  std::uint32_t capacity_ = 0;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// The word of a tagged_deque beside its slots; all bits zero is an empty deque.
struct tagged_deque_words {
  alignas(128) std::uint64_t ends;  ///< tag << 48 | bottom << 24 | top: indices modulo 2^24
};

/// A deque with one owner and any number of thieves whose two ends and tag share one word, so that every
/// change is one atomic operation on it and no sequentially consistent fence is needed: the public half of
/// a split work queue (J. Dinan and others, "Scalable work stealing", SC 2009; T. van Dijk, J. van de Pol,
/// "Lace", 2014), meant for few large records such as chunks of tasks. The owner pushes and pops at the
/// bottom (last in, first out), thieves steal at the top (first in, first out). A pop counts up the tag, so
/// that a thief that read a slot before does not take its next record for the old one. (Fails if the tag
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

  /// How many records it holds; to others than the owner a hint.
  BALLAST_HD std::uint32_t size() const { return size_of(ends().load_relaxed()); }

  /// Owner only. Adds a record as the newest; false, and nothing has changed, if the deque holds `capacity`.
  BALLAST_HD bool push(Record const& record) const {
    std::uint64_t const seen = ends().load_acquire();  // a thief has read the slot that is written now
    if (size_of(seen) >= capacity_) return false;
    at(bottom_of(seen)).template write<Atomic>(record);
    ends().add_release(one_at_bottom);  // its carry counts up the tag, which does no harm
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/detail/resident/task_record.cuh"

namespace ballast::detail {

inline constexpr std::uint32_t max_record_bytes = 64;  ///< bytes of a record in a deque or ring

/// The outcome of an attempt to steal.
enum class steal_outcome : std::uint32_t {
  taken,     ///< the record is the thief's
  empty,     ///< there was none
  lost_race  ///< another thread took the record that was there; there may be more
};

/// The place of one record in a lock-free structure: 64-bit words, each accessed atomically and relaxed,
/// since a thief may read a record that its owner is replacing. Such a record may be torn: the
/// compare-exchange that follows then fails, and the reader discards it.
template <class Record>
class record_slot {
  static_assert(std::is_trivially_copyable_v<Record> && std::is_trivially_default_constructible_v<Record>);
  static_assert(sizeof(Record) <= max_record_bytes, "a record has at most 64 bytes");

 public:
  static constexpr std::uint32_t words = (sizeof(Record) + 7) / 8;

  // Copies word by word, without a copy on the stack: g++ 12.2 placed one at an address that its own
  // instructions could not use.
  template <template <class> class Atomic>
  BALLAST_HD void write(Record const& record) {
    for (std::uint32_t i = 0; i < words; ++i) write_word<Atomic>(i, record);
  }
  template <template <class> class Atomic>
  BALLAST_HD Record read() {
    Record record;
    for (std::uint32_t i = 0; i < words; ++i) read_word<Atomic>(i, record);
    return record;
  }

  /// One word of a record, for several threads that copy it together.
  template <template <class> class Atomic>
  BALLAST_HD void write_word(std::uint32_t i, Record const& record) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, bytes_of(&record) + 8 * i, bytes_of_word(i));
    Atomic<std::uint64_t>(words_[i]).store_relaxed(word);
  }
  template <template <class> class Atomic>
  BALLAST_HD void read_word(std::uint32_t i, Record& record) {
    std::uint64_t const word = Atomic<std::uint64_t>(words_[i]).load_relaxed();
    __builtin_memcpy(bytes_of(&record) + 8 * i, &word, bytes_of_word(i));
  }

 private:
  /// Aligned like a record: without this hint nvcc copies byte by byte.
  BALLAST_HD static unsigned char* bytes_of(void* record) {
    return static_cast<unsigned char*>(__builtin_assume_aligned(record, alignof(Record)));
  }
  BALLAST_HD static unsigned char const* bytes_of(void const* record) {
    return static_cast<unsigned char const*>(__builtin_assume_aligned(record, alignof(Record)));
  }
  BALLAST_HD static constexpr std::uint32_t bytes_of_word(std::uint32_t i) {
    constexpr std::uint32_t odd = sizeof(Record) % 8;
    return odd != 0 && i + 1 == words ? odd : 8;
  }

  std::uint64_t words_[words];
};

/// A task as pools store it, aligned so that a GPU moves 16 bytes at once.
struct alignas(16) stored_task {
  task_record record;
};
static_assert(sizeof(stored_task) == 48);

}  // namespace ballast::detail

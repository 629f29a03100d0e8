// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/ring_queue.cuh"
#include "ballast/detail/pool/stored_task.cuh"
#include "ballast/kernel.cuh"

namespace ballast {

/// Names a join: a task that waits for children. Tasks carry it among their arguments. Made by fork().
struct join_handle {
  std::uint32_t number = 0;  ///< 1 + the record; 0: none
  /// Whether it names a join at all.
  BALLAST_HD explicit operator bool() const { return number != 0; }
};

/// What a join waits for and what comes then: the closure of R. D. Blumofe and others, "Cilk: an efficient
/// multithreaded runtime system", PPoPP 1995, or the counter that Mohan and Gopalan 2014 keep at each node.
struct alignas(64) join_record {
  std::uint64_t value;  ///< children combine theirs here
  std::uint32_t left;   ///< children that have not finished
  /// Keeps the task behind it aligned.
  std::uint32_t unused;
  /// What runs when `left` has become 0.
  detail::stored_task continuation;
};
static_assert(sizeof(join_record) == 64);

/// Children that one turn of a worker may give records back for, beyond those that it declares.
inline constexpr std::uint32_t max_joins_taken = 32;

/// The records of joins, all bits zero at first. A worker keeps some free ones in a cache of its own; what it
/// has too many of goes through a ring.
struct join_arena {
  /// `capacity` of them, in the device's memory.
  join_record* records = nullptr;
  std::uint32_t* used = nullptr;  ///< records below were in use at some time; may grow beyond `capacity`
  detail::ring_queue_ref<std::uint32_t> returned;  ///< free records that belong to no worker
  std::uint32_t* caches = nullptr;                 ///< cache_capacity + max_joins_taken for each worker
  std::uint32_t capacity = 0;                      ///< of records
  /// Of one worker's cache, in records.
  std::uint32_t cache_capacity = 0;
  std::uint32_t batch = 1;  ///< records that a worker gets at once

  /// The record of a join, which is set.
  BALLAST_HD join_record& operator[](join_handle join) const {
    return array_ref<join_record>(records)[join.number - 1];
  }
  /// The children of a join that have not finished.
  BALLAST_HD device_atomic<std::uint32_t> left(join_handle join) const {
    return device_atomic<std::uint32_t>((*this)[join].left);
  }
  /// The word in which the children of a join combine theirs.
  BALLAST_HD device_atomic<std::uint64_t> value(join_handle join) const {
    return device_atomic<std::uint64_t>((*this)[join].value);
  }
  /// The place for the numbers of free records that the worker keeps.
  BALLAST_HD array_ref<std::uint32_t> cache_of(std::uint32_t worker) const {
    return array_ref<std::uint32_t>(caches).from(std::size_t(worker) * (cache_capacity + max_joins_taken));
  }

  /// Whether every record was in use at some time: then what a worker keeps, another may lack.
  BALLAST_HD bool is_used_up() const {
    return device_atomic<std::uint32_t>(*used).load_relaxed() >= capacity;
  }
  /// Up to `count` records that were never used, from the answer's first on; fewer or none at the end.
  BALLAST_HD std::uint32_t fresh(std::uint32_t count, std::uint32_t& first) const {
    device_atomic<std::uint32_t> const word(*used);
    if (word.load_relaxed() >= capacity) return 0;
    first = word.add_relaxed(count);
    if (first >= capacity) return 0;
    return capacity - first < count ? capacity - first : count;
  }
};

}  // namespace ballast

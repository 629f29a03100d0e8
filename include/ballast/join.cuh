// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/detail/pool/ring_queue.cuh"
#include "ballast/kernel.cuh"

namespace ballast {

/// Names a join: a task that waits for children. Made by fork(); tasks carry it among their arguments.
struct join_handle {
  /// 1 + the index of its record; in a pool over several devices bits 28 to 31 hold the device; 0: no join
  std::uint32_t number = 0;
  /// True if it names a join.
  BALLAST_HD explicit operator bool() const { return number != 0; }
};

namespace detail {

/// The state of a join and the task that continues it: the closure of R. D. Blumofe and others, "Cilk: an
/// efficient multithreaded runtime system", PPoPP 1995, or the counter that Mohan and Gopalan 2014 keep at
/// each node.
struct alignas(64) join_record {
  std::uint64_t value;  ///< the word in which the children combine their results
  /// The number of children that have not finished. In a pool over several devices the bit `joins_abroad` is
  /// set once a child has finished on another device.
  std::uint32_t left;
  /// In a record that returns from another device: 1 + the index of the next such record, or 0; bits 28 to 31
  /// hold the device on which its continuation must run, if any.
  std::uint32_t next;
  /// The task that runs when `left` has become 0.
  detail::stored_task continuation;
};
static_assert(sizeof(join_record) == 64);

/// The most records that one turn of a worker may get back from children beyond those that the turn declares.
inline constexpr std::uint32_t max_joins_taken = 32;

/// The records of joins, all bits zero at first. Each worker caches some free records; a ring passes on the
/// surplus.
struct join_arena {
  static constexpr scope reach = scope::device;  ///< the scope of a join's atomic operations

  /// The records, `capacity` in number, in the device's memory.
  join_record* records = nullptr;
  std::uint32_t* used = nullptr;  ///< records with indices below this were used before; may exceed `capacity`
  detail::ring_queue_ref<std::uint32_t> returned;  ///< free records that are in no cache
  std::uint32_t* caches = nullptr;  ///< cache_capacity + max_joins_taken entries for each worker
  std::uint32_t capacity = 0;       ///< number of records
  /// The capacity of one worker's cache, in records.
  std::uint32_t cache_capacity = 0;
  std::uint32_t batch = 1;  ///< records that a worker takes in one step

  /// The arena of the calling thread's device.
  BALLAST_HD join_arena const& here() const { return *this; }
  /// The handle of the join with this record, on this device.
  BALLAST_HD join_handle handle_of(std::uint32_t record) const { return {record + 1}; }
  /// The index of a join's record; `join` must be set.
  BALLAST_HD std::uint32_t record_of(join_handle join) const { return join.number - 1; }
  /// The record of a join; `join` must be set.
  BALLAST_HD join_record& operator[](join_handle join) const {
    return array_ref<join_record>(records)[record_of(join)];
  }
  /// True if the record of a finished join belongs to another device and must return there.
  BALLAST_HD bool sends_home(join_handle) const { return false; }
  /// The children of a join that have not finished.
  BALLAST_HD device_atomic<std::uint32_t> left(join_handle join) const {
    return device_atomic<std::uint32_t>((*this)[join].left);
  }
  /// Counts one finished child of the join. True if it was the last; the writes of all children are then
  /// visible.
  BALLAST_HD bool is_finished_by_last(join_handle join) const {
    if (left(join).add_release(~std::uint32_t(0)) != 1) return false;
    fence_after_relaxed<reach>();
    return true;
  }
  /// The word in which the children of a join combine their values.
  BALLAST_HD device_atomic<std::uint64_t> value(join_handle join) const {
    return device_atomic<std::uint64_t>((*this)[join].value);
  }
  /// The memory for the numbers of free records that the worker keeps.
  BALLAST_HD array_ref<std::uint32_t> cache_of(std::uint32_t worker) const {
    return array_ref<std::uint32_t>(caches).from(std::size_t(worker) * (cache_capacity + max_joins_taken));
  }

  /// True once every record has been used. From then on, one worker may lack a record that lies in another's
  /// cache.
  BALLAST_HD bool is_used_up() const {
    return device_atomic<std::uint32_t>(*used).load_relaxed() >= capacity;
  }
  /// Takes up to `count` records that were never used, starting at index `first`; returns their number, which
  /// is less than `count` once they run out.
  BALLAST_HD std::uint32_t fresh(std::uint32_t count, std::uint32_t& first) const {
    device_atomic<std::uint32_t> const word(*used);
    if (word.load_relaxed() >= capacity) return 0;
    first = word.add_relaxed(count);
    if (first >= capacity) return 0;
    return capacity - first < count ? capacity - first : count;
  }
};

}  // namespace detail

}  // namespace ballast

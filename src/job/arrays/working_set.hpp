// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "arrays/operations.hpp"
#include "ballast/detail/base/free_ranges.hpp"

namespace ballast::detail {

/// Ranges of memory begin and end at multiples of this, which kernels expect of an array's first element.
inline constexpr std::size_t memory_alignment = 256;

/// The memory for these bytes of an array: each byte keeps its distance from a multiple of memory_alignment.
constexpr std::size_t memory_of(byte_range bytes) {
  if (bytes.is_empty()) return 0;
  auto const begin = bytes.begin / memory_alignment * memory_alignment;
  return (bytes.end - begin + memory_alignment - 1) / memory_alignment * memory_alignment;
}

/// The memory of one device, as offsets, and the operations that still use memory that was given back. No
/// device; one thread at a time.
class arena {
 public:
  /// `bytes` are rounded down to a multiple of memory_alignment. `ops` outlives the arena.
  arena(std::size_t bytes, operations const& ops);
  arena(arena&&) noexcept;
  ~arena();

  std::size_t bytes() const;
  free_ranges const& free() const;

  /// Like free_ranges::take(), in whole multiples of memory_alignment. Throws bad_argument ("bytes").
  std::optional<byte_range> take(std::size_t bytes);
  /// Makes the next user of the memory wait for `users` as well. Throws bad_argument ("memory") beyond the
  /// arena.
  void add_users(byte_range memory, std::span<op_id const> users);
  /// Frees the memory. Throws bad_argument ("memory") beyond the arena, ("bytes") for memory that is free.
  void give_back(byte_range memory);
  /// The recorded operations that have not ended, in the form of operation::dependencies: a new user of the
  /// memory must wait for them.
  op_set users(byte_range memory) const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

using segment_id = strong_id<struct segment_tag, std::uint64_t>;

/// Bytes of an array and their memory on a device.
struct segment {
  segment_id id;
  array_id array;
  byte_range bytes;
  byte_range memory;          ///< memory_of(bytes)
  std::uint32_t pins = 0;     ///< tasks that use it
  std::uint64_t used_at = 0;  ///< increases with each task; the least recently used has the smallest

  /// The position of a byte of the array.
  std::size_t offset_of(std::size_t byte) const {
    return memory.begin + (byte - bytes.begin / memory_alignment * memory_alignment);
  }
};

/// The segments of one device; segments of an array are disjoint. A value.
class segments {
 public:
  std::vector<segment> const& all() const { return all_; }
  /// The segment that contains all of the bytes; null if there is none.
  segment const* holding(array_id array, byte_range bytes) const;
  std::vector<segment> overlapping(array_id array, byte_range bytes) const;
  std::vector<segment> of(array_id array) const;
  /// Null if no segment has this id.
  segment* find(segment_id id);

  /// Adds a segment for bytes that lie in no other segment of the array; else throws bad_argument ("bytes").
  segment_id add(array_id array, byte_range bytes, byte_range memory);
  /// Removes bytes at the beginning or the end of a segment, or all of it. Returns the memory that becomes
  /// free. Throws bad_argument ("segment", "bytes").
  byte_range cut(segment_id id, byte_range bytes);
  /// Removes a segment and returns its memory. Throws bad_argument ("segment").
  byte_range remove(segment_id id);

 private:
  segment& at(segment_id id);

  std::vector<segment> all_;
  std::uint64_t newest_ = 0;
};

/// Bytes of an array that a task needs on its device, from the first to the last.
struct needed_bytes {
  array_id array;
  byte_range hull;
};

/// The location on its device of the bytes that a task needs of an array.
struct resident_bytes {
  array_id array;
  segment_id segment;      ///< none if the hull is empty
  std::size_t offset = 0;  ///< offset of the hull in the device's memory
  op_set dependencies;     ///< earlier users of the memory: copies to it and the task wait for these
};

/// Bytes of an array that are contiguous on a device too.
struct located_bytes {
  byte_range bytes;
  std::size_t offset = 0;  ///< of the first

  bool operator==(located_bytes const&) const = default;
};

/// The working set's requests to the owner of the directories, made during pin() and similar members.
class eviction_handler {
 public:
  virtual ~eviction_handler() = default;

  /// True if the bytes that are valid here are valid elsewhere too.
  virtual bool is_clean(array_id array, byte_range bytes) const = 0;
  /// The bytes leave the device: plan copies to the host of those that are valid nowhere else, and record
  /// that the rest is dropped. Returns the operations that still touch their memory
  /// (coherence_directory::record_eviction).
  virtual op_set evict(array_id array, byte_range bytes) = 0;
  /// The bytes get other memory on the device: plan copies of those that are valid here, after `after`, and
  /// record that as an arrival from here to here. Returns the operations that still touch the memory at
  /// `from`: the copy, and those that touch invalid bytes.
  virtual op_set move(array_id array, byte_range bytes, std::size_t from, std::size_t to,
                      std::span<op_id const> after) = 0;
};

/// Which bytes of arrays have memory on one device. A task's bytes are all pinned before it is planned, so
/// that no task evicts bytes that another one is about to use; the least recently used go first. While all
/// arrays fit, an array has one segment, otherwise each task's hull has one. No device and no clock; one
/// thread at a time.
class working_set {
 public:
  /// `bytes` of memory, used up to a multiple of memory_alignment. `ops` outlives the set.
  working_set(std::size_t bytes, operations const& ops) : memory_(bytes, ops) {}

  std::size_t bytes() const { return memory_.bytes(); }
  std::vector<segment> const& residents() const { return segments_.all(); }
  /// The locations of those of the bytes that have memory, ascending.
  std::vector<located_bytes> located(array_id array, byte_range bytes) const;

  /// Adds an array of the scheduler, used here or not. Throws bad_argument ("array") for a known one.
  void add_array(array_id array, std::size_t bytes);
  /// Adds an array whose memory is entirely on the device, and the caller's. The set gives it no memory, and
  /// never moves or evicts it; its offsets count from its first byte. Throws as add_array().
  void add_adopted_array(array_id array, std::size_t bytes);
  /// Forgets an array and frees its memory, whose next user must wait for `users`. Throws bad_argument
  /// ("array") for an unknown array.
  void remove_array(array_id array, std::span<op_id const> users);
  bool has_room_for_all_arrays() const;

  /// Gives all hulls memory and keeps it until unpin(). If too much is pinned, changes nothing and returns
  /// nothing: try again when a task has ended. It succeeds if nothing is pinned and the hulls' memory_of
  /// together is at most bytes(). At most one hull per array. Throws bad_argument ("needs").
  std::optional<std::vector<resident_bytes>> pin(std::span<needed_bytes const> needs, eviction_handler& data);
  /// Unpins the bytes that pin() returned; call it once for each pin(). Ignores bytes that moved meanwhile.
  void unpin(std::span<resident_bytes const> residents);
  /// Evicts all unpinned bytes from the device.
  void evict_unpinned(eviction_handler& data);

 private:
  struct attempt;
  struct known_array {
    std::size_t bytes;
    bool is_adopted;
  };

  void add(array_id array, known_array about);
  bool is_adopted(array_id array) const;
  void check(std::span<needed_bytes const> needs) const;
  bool holds(needed_bytes const& need) const;
  byte_range bytes_to_take(needed_bytes const& need) const;
  std::optional<std::vector<segment_id>> victims(std::span<needed_bytes const> needs,
                                                 eviction_handler const& data) const;
  std::vector<segment> eviction_order(std::span<needed_bytes const> needs,
                                      eviction_handler const& data) const;
  void evict(segment_id victim, eviction_handler& data);
  void take(std::span<needed_bytes const> needs, eviction_handler& data);
  void move_in(needed_bytes const& need, byte_range memory, eviction_handler& data);
  resident_bytes pinned(needed_bytes const& need);

  arena memory_;
  segments segments_;
  std::map<array_id, known_array> arrays_;
  std::uint64_t tasks_ = 0;
};

}  // namespace ballast::detail

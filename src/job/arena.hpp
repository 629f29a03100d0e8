// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ballast/detail/base/free_ranges.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// Ranges of memory begin and end at multiples of this, as kernels expect of an array's first element.
inline constexpr std::size_t memory_alignment = 256;

/// The memory that these bytes of an array take: they keep their distance from a multiple of
/// memory_alignment.
constexpr std::size_t memory_of(byte_range bytes) {
  if (bytes.is_empty()) return 0;
  auto const begin = bytes.begin / memory_alignment * memory_alignment;
  return (bytes.end - begin + memory_alignment - 1) / memory_alignment * memory_alignment;
}

/// The memory of one device, as offsets, and which operations still use what was given back. No device; one
/// thread at a time.
class arena {
 public:
  /// `bytes` are rounded down to a multiple of memory_alignment. `ops` outlives the arena.
  arena(std::size_t bytes, operations const& ops);
  arena(arena&&) noexcept;
  ~arena();

  std::size_t bytes() const;
  free_ranges const& free() const;

  /// Like free_ranges::take(); of whole multiples of memory_alignment. Throws bad_argument ("bytes").
  std::optional<byte_range> take(std::size_t bytes);
  /// The next user of the memory comes after `users` too. Throws bad_argument ("memory") beyond the arena.
  void add_users(byte_range memory, std::span<op_id const> users);
  /// Throws bad_argument ("memory") beyond the arena, ("bytes") for memory that is free.
  void give_back(byte_range memory);
  /// The noted operations that have not ended, in the form of operation::dependencies: a new user of the
  /// memory comes after them.
  op_set users(byte_range memory) const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast::detail

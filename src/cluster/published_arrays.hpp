// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballast/detail/base/strong.hpp"

namespace ballast::detail {

/// Identifies an array that every rank has at an address of its own.
using published_id = strong_id<struct published_tag, std::uint16_t>;

/// The address as text, for errors.
std::string address_text(std::uint64_t address);

/// Arrays to which addresses in travelling tasks may point. Each rank publishes the same arrays in the same
/// order, so that they have the same ids. An address travels as its array's id, in the upper 16 bits, and the
/// offset from the array's beginning in bytes; null travels as 0. Threads may call const members concurrently
/// while no thread calls another member.
class published_arrays {
 public:
  static constexpr std::size_t max_array_bytes = std::size_t(1) << 48;
  static constexpr std::uint32_t max_arrays = 65535;  ///< over the lifetime of the object

  /// Publishes an array and returns its id: 1, 2, ... in the order of the calls. Throws bad_argument
  /// ("first") if `first` is null, or if another array shares bytes with this one, ("bytes") if `bytes` is
  /// not 1 to 2^48, or if the array passes the end of the address space; error after 65535 arrays.
  published_id publish(void const* first, std::size_t bytes);
  /// Uses up the id of an array that cannot be published here.
  void skip() { by_id_.push_back({0, 0, 0}); }
  /// Withdraws an array: from now on no address in it travels, and its id is not used again. Throws
  /// bad_argument ("id") if there is no such array.
  void withdraw(published_id id);

  /// The value that travels in place of an address; nothing if the address is neither null nor within an
  /// array. An array's end is not within it: another may begin there.
  std::optional<std::uint64_t> encode(std::uint64_t address) const;
  /// The address for which a value travelled, on the receiving rank; nothing if the array is not published
  /// here, or ends before that address.
  std::optional<std::uint64_t> decode(std::uint64_t word) const;

 private:
  struct array {
    std::uint64_t first, bytes;
    std::uint16_t id;
  };
  std::vector<array>::const_iterator behind(std::uint64_t address) const;

  std::vector<array> by_address_;
  std::vector<array> by_id_;  ///< the first has id 1; withdrawn ones have no bytes
};

}  // namespace ballast::detail

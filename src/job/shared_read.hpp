// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "byte_runs.hpp"
#include "copy_source.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// Copies of more bytes are cut, so that what needs the first of them need not wait for the last.
inline constexpr std::size_t max_copy_bytes = std::size_t(16) << 20;
/// The least stripe of a shared read: a smaller copy takes as long for being a copy as for its bytes.
inline constexpr std::size_t min_stripe_bytes = std::size_t(1) << 20;

/// A copy of a shared read: bytes of an array that are to go from one place to another, ascending.
struct shared_copy {
  place_id from, to;
  std::vector<byte_range> bytes;

  bool operator==(shared_copy const&) const = default;
};

/// Ascending ranges, cut into pieces of `each` bytes in order; the last may have fewer. No piece is empty.
std::vector<std::vector<byte_range>> pieces_of(std::span<byte_range const> bytes, std::size_t each);

/// How bytes that the host alone holds come to devices that all read them, in an order in which each copy's
/// source is valid. Devices with direct links to each other take a stripe each from the host and the others'
/// stripes from them, each time from another one (in a ring), so that the host's links carry the bytes once;
/// where there are too few bytes, only the first devices have a stripe. The rest take all from the host.
/// Copies have at most max_copy_bytes. `bytes`: ascending, without empty ones.
std::vector<shared_copy> shared_read(std::span<byte_range const> bytes, std::span<place_id const> readers,
                                     copy_links const& links);

}  // namespace ballast::detail

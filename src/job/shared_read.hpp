// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "byte_range.hpp"
#include "copy_links.hpp"
#include "ids.hpp"
#include "pitched_run.hpp"

namespace ballast::inline job {

/// Copies of more bytes are cut, so that what needs the first of them need not wait for the last.
inline constexpr std::size_t most_bytes_of_copy = std::size_t(16) << 20;

/// A copy of a shared read: bytes of an array that are to go from one place to another.
struct shared_copy {
  place_id from, to;
  byte_range bytes;

  bool operator==(shared_copy const&) const = default;
};

/// Cut to at most most_bytes_of_copy each, ascending; part of a row only if a row has more.
std::vector<pitched_run> chunks_of(pitched_run const& run);
std::vector<byte_range> chunks_of(byte_range bytes);

/// How bytes that the host alone holds come to devices that all read them, in an order in which each copy's
/// source is valid. Devices with direct links to each other take a stripe each from the host and the others'
/// stripes from them, each time from another one (in a ring), so that the host's links carry the bytes once.
/// The rest take all from the host. Copies are chunks.
std::vector<shared_copy> shared_read(byte_range bytes, std::span<place_id const> readers,
                                     copy_links const& links);

}  // namespace ballast::inline job

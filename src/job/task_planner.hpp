// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "byte_runs.hpp"
#include "coherence_directory.hpp"
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

/// Bytes of one array that one copy transfers.
struct planned_copy {
  op_id op{};
  place_id from, to;
  std::vector<byte_range> bytes{};  ///< ascending
  std::size_t size = 0;             ///< of all of them

  void add(byte_range more);
};

/// A place that reads bytes which others read as well, and the operations that used its memory before.
struct shared_reader {
  place_id place;
  std::span<op_id const> dependencies;
};

/// Puts what a task needs into operations. No device and no clock; one thread at a time.
class task_planner {
 public:
  /// On which stream a copy is carried out.
  using stream_of_copy = std::function<op_stream(place_id from, place_id to)>;

  task_planner(operations& ops, copy_sources& sources, stream_of_copy stream)
      : ops_(ops), sources_(sources), stream_(std::move(stream)) {}

  /// Notes the copies that bring bytes to a place where they are not valid, of at most max_copy_bytes each,
  /// from the sources that promise to be fastest. They come after `after` too, which used the memory there
  /// before.
  std::vector<planned_copy> fetch_to(coherence_directory& directory, byte_runs const& bytes, place_id to,
                                     std::span<op_id const> after = {});

  /// Notes the copies of bytes that only the host has to readers that all have memory for them, once over the
  /// host's links (shared_read). Bytes that a device has as well are left to fetch_to().
  std::vector<planned_copy> broadcast(coherence_directory& directory, byte_runs const& bytes,
                                      std::span<shared_reader const> readers);

 private:
  void choose_sources(std::vector<planned_copy>& copies, held_bytes const& piece, place_id to);
  void plan_copy(coherence_directory& directory, planned_copy& copy, std::span<op_id const> after);

  operations& ops_;
  copy_sources& sources_;
  stream_of_copy stream_;
};

/// A kernel reads bytes, which are valid there; it writes bytes.
void record_reads(coherence_directory& directory, op_id kernel, place_id at, byte_runs const& bytes);
void record_writes(coherence_directory& directory, op_id kernel, place_id at, byte_runs const& bytes);
/// The job that lost some of these bytes; nothing if none did.
std::optional<job_number> losing_job(coherence_directory const& directory, byte_runs const& bytes);

}  // namespace ballast::detail

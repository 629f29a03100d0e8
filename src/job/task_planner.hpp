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

/// Bytes of one array that one copy brings.
struct planned_copy {
  op_id op{};
  place_id from, to;
  std::vector<byte_range> bytes{};  ///< ascending
  std::size_t size = 0;             ///< of all of them

  void add(byte_range more);
};

/// A place that reads what others read as well, and what used its memory before.
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

  /// Notes what brings bytes to a place where they are not valid, from the sources that promise to be
  /// fastest, in copies of at most max_copy_bytes. They come after `after` too, which used the memory
  /// there before.
  std::vector<planned_copy> fetch_to(coherence_directory& directory, byte_runs const& bytes, place_id to,
                                     std::span<op_id const> after = {});

  /// Notes how those of the bytes that only the host has come to readers that all have memory for them, once
  /// over the host's links (shared_read). What a device has as well is left to fetch_to().
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
/// The job that lost some of the bytes.
std::optional<job_number> losing_job(coherence_directory const& directory, byte_runs const& bytes);

}  // namespace ballast::detail

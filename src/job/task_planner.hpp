// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "array_ledger.hpp"
#include "byte_runs.hpp"
#include "copy_source.hpp"
#include "ids.hpp"
#include "operations.hpp"

namespace ballast::inline job {

/// Bytes of one array that one copy brings.
struct planned_copy {
  op_id op{};
  place_id from, to;
  std::vector<byte_range> bytes;  ///< ascending

  std::size_t size() const;
};

/// What a task needs to have at its place, put into operations. Plain; one thread at a time.
class task_planner {
 public:
  /// On which stream a copy is carried out.
  using stream_of_copy = std::function<op_stream(place_id from, place_id to)>;

  task_planner(operations& ops, copy_sources& sources, stream_of_copy stream)
      : ops_(ops), sources_(sources), stream_(std::move(stream)) {}

  /// Notes what brings bytes to a place where they are not valid, from the sources that promise to be
  /// fastest: one copy for each of them.
  std::vector<planned_copy> bring(array_ledger& ledger, byte_runs const& bytes, place_id to);
  /// A kernel that reads bytes, which are valid there, and writes bytes.
  static void note_kernel(op_id kernel, array_ledger& ledger, place_id at, byte_runs const& read,
                          byte_runs const& written);

 private:
  void choose_source(std::vector<planned_copy>& copies, held_bytes const& piece, place_id to) const;

  operations& ops_;
  copy_sources& sources_;
  stream_of_copy stream_;
};

/// The job that lost some of the bytes.
std::optional<job_number> lost_of(array_ledger const& ledger, byte_runs const& bytes);

}  // namespace ballast::inline job

// SPDX-License-Identifier: Apache-2.0
#include "task_planner.hpp"

#include <algorithm>
#include <utility>

namespace ballast::inline job {
namespace {

void append(std::vector<byte_range>& ranges, byte_range more) {
  if (!ranges.empty() && ranges.back().end == more.begin)
    ranges.back().end = more.end;
  else
    ranges.push_back(more);
}

}  // namespace

std::size_t planned_copy::size() const {
  std::size_t sum = 0;
  for (auto const range : bytes) sum += range.size();
  return sum;
}

std::vector<planned_copy> task_planner::bring(array_ledger& ledger, byte_runs const& bytes, place_id to) {
  std::vector<planned_copy> copies;
  bytes.for_each_interval([&](byte_range interval) {
    for (auto const missing : ledger.missing(to, interval))
      for (auto const& piece : ledger.holders(missing)) choose_source(copies, piece, to);
  });
  for (auto& copy : copies) {
    copy.op = ops_.add(op_kind::copy, stream_(copy.from, to));
    for (auto const range : copy.bytes) ledger.note_arrival(copy.op, copy.from, to, range);
    sources_.note_planned(copy.from, to, copy.size());
  }
  return copies;
}

void task_planner::choose_source(std::vector<planned_copy>& copies, held_bytes const& piece,
                                 place_id to) const {
  auto const from = sources_.choose(piece.places, to, piece.bytes.size());
  auto found = std::ranges::find(copies, from, &planned_copy::from);
  if (found == copies.end()) found = copies.insert(copies.end(), {.from = from, .to = to, .bytes = {}});
  append(found->bytes, piece.bytes);
}

void task_planner::note_kernel(op_id kernel, array_ledger& ledger, place_id at, byte_runs const& read,
                               byte_runs const& written) {
  read.for_each_interval([&](byte_range bytes) { ledger.note_read(kernel, at, bytes); });
  written.for_each_interval([&](byte_range bytes) { ledger.note_write(kernel, at, bytes); });
}

std::optional<job_number> lost_of(array_ledger const& ledger, byte_runs const& bytes) {
  std::optional<job_number> found;
  bytes.for_each_interval([&](byte_range interval) {
    if (!found) found = ledger.lost(interval);
  });
  return found;
}

}  // namespace ballast::inline job

// SPDX-License-Identifier: Apache-2.0
#include "task_planner.hpp"

#include <algorithm>
#include <ranges>

#include "shared_read.hpp"

namespace ballast::inline job {
namespace {

/// The newest copy from there that takes so many bytes more.
noted_copy& copy_with_room(std::vector<noted_copy>& copies, place_id from, place_id to, std::size_t bytes) {
  auto newest_first = std::views::reverse(copies);
  auto const newest = std::ranges::find(newest_first, from, &noted_copy::from);
  if (newest != newest_first.end() && newest->size + bytes <= most_bytes_of_copy) return *newest;
  return copies.emplace_back(noted_copy{.from = from, .to = to});
}

}  // namespace

void noted_copy::add(byte_range more) {
  size += more.size();
  if (!bytes.empty() && bytes.back().end == more.begin)
    bytes.back().end = more.end;
  else
    bytes.push_back(more);
}

std::vector<noted_copy> task_planner::bring(array_ledger& ledger, byte_runs const& bytes, place_id to,
                                            std::span<op_id const> after) {
  std::vector<noted_copy> copies;
  bytes.for_each_interval([&](byte_range interval) {
    for (auto const missing : ledger.missing(to, interval))
      for (auto const& piece : ledger.holders(missing)) choose_sources(copies, piece, to);
  });
  for (auto& copy : copies) {
    copy.op = ops_.add(op_kind::copy, stream_(copy.from, to));
    for (auto const earlier : after) ops_.order_after(copy.op, earlier);
    for (auto const range : copy.bytes) ledger.note_arrival(copy.op, copy.from, to, range);
  }
  return copies;
}

/// In chunks, so that what goes on from here to a next device need not wait for all of it.
void task_planner::choose_sources(std::vector<noted_copy>& copies, held_bytes const& piece, place_id to) {
  for (auto const chunk : chunks_of(piece.bytes)) {
    auto const from = sources_.choose(piece.places, to, chunk.size());
    auto& copy = copy_with_room(copies, from, to, chunk.size());
    if (copy.size != 0) sources_.note_ended(from, to, copy.size);  // one copy, which grows
    copy.add(chunk);
    sources_.note_planned(from, to, copy.size);
  }
}

void note_reads(array_ledger& ledger, op_id kernel, place_id at, byte_runs const& bytes) {
  bytes.for_each_interval([&](byte_range interval) { ledger.note_read(kernel, at, interval); });
}

void note_writes(array_ledger& ledger, op_id kernel, place_id at, byte_runs const& bytes) {
  bytes.for_each_interval([&](byte_range interval) { ledger.note_write(kernel, at, interval); });
}

std::optional<job_number> lost_of(array_ledger const& ledger, byte_runs const& bytes) {
  std::optional<job_number> found;
  bytes.for_each_interval([&](byte_range interval) {
    if (!found) found = ledger.lost(interval);
  });
  return found;
}

}  // namespace ballast::inline job

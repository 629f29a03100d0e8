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

constexpr std::uint32_t only_the_host = 1;

std::vector<byte_range> only_at_the_host(array_ledger const& ledger, byte_runs const& bytes) {
  std::vector<byte_range> found;
  bytes.for_each_interval([&](byte_range interval) {
    for (auto const& piece : ledger.holders(interval))
      if (piece.places == only_the_host) found.push_back(piece.bytes);
  });
  return found;
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
  for (auto& copy : copies) note(ledger, copy, after);
  return copies;
}

void task_planner::note(array_ledger& ledger, noted_copy& copy, std::span<op_id const> after) {
  copy.op = ops_.add(op_kind::copy, stream_(copy.from, copy.to));
  for (auto const earlier : after) ops_.order_after(copy.op, earlier);
  for (auto const range : copy.bytes) ledger.note_arrival(copy.op, copy.from, copy.to, range);
}

std::vector<noted_copy> task_planner::spread(array_ledger& ledger, byte_runs const& bytes,
                                             std::span<shared_reader const> readers) {
  std::vector<place_id> places;
  for (auto const& reader : readers) places.push_back(reader.place);
  std::vector<noted_copy> copies;
  for (auto const& [from, to, ranges] :
       shared_read(only_at_the_host(ledger, bytes), places, sources_.links())) {
    auto& copy = copies.emplace_back(noted_copy{.from = from, .to = to});
    for (auto const range : ranges) copy.add(range);
    note(ledger, copy, std::ranges::find(readers, to, &shared_reader::place)->after);
    sources_.note_planned(from, to, copy.size);
  }
  return copies;
}

/// In chunks, so that what goes on from here to a next device need not wait for all of it.
void task_planner::choose_sources(std::vector<noted_copy>& copies, held_bytes const& piece, place_id to) {
  for (auto const& chunk : pieces_of({&piece.bytes, 1}, most_bytes_of_copy)) {
    auto const bytes = chunk.front();  // of one range, so it is one
    auto const from = sources_.choose(piece.places, to, bytes.size());
    auto& copy = copy_with_room(copies, from, to, bytes.size());
    if (copy.size != 0) sources_.note_ended(from, to, copy.size);  // one copy, which grows
    copy.add(bytes);
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

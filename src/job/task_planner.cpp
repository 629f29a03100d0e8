// SPDX-License-Identifier: Apache-2.0
#include "task_planner.hpp"

#include <algorithm>
#include <ranges>

#include "shared_read.hpp"

namespace ballast::detail {
namespace {

/// The newest copy from there that takes so many bytes more.
planned_copy& copy_with_room(std::vector<planned_copy>& copies, place_id from, place_id to,
                             std::size_t bytes) {
  auto newest_first = std::views::reverse(copies);
  auto const newest = std::ranges::find(newest_first, from, &planned_copy::from);
  if (newest != newest_first.end() && newest->size + bytes <= max_copy_bytes) return *newest;
  return copies.emplace_back(planned_copy{.from = from, .to = to});
}

constexpr std::uint32_t only_the_host = 1;

std::vector<byte_range> only_at_the_host(coherence_directory const& directory, byte_runs const& bytes) {
  std::vector<byte_range> found;
  bytes.for_each_interval([&](byte_range interval) {
    for (auto const& piece : directory.holders(interval))
      if (piece.places == only_the_host) found.push_back(piece.bytes);
  });
  return found;
}

}  // namespace

void planned_copy::add(byte_range more) {
  size += more.size();
  if (!bytes.empty() && bytes.back().end == more.begin)
    bytes.back().end = more.end;
  else
    bytes.push_back(more);
}

std::vector<planned_copy> task_planner::fetch_to(coherence_directory& directory, byte_runs const& bytes,
                                                 place_id to, std::span<op_id const> after) {
  std::vector<planned_copy> copies;
  bytes.for_each_interval([&](byte_range interval) {
    for (auto const missing : directory.missing(to, interval))
      for (auto const& piece : directory.holders(missing)) choose_sources(copies, piece, to);
  });
  for (auto& copy : copies) plan_copy(directory, copy, after);
  return copies;
}

void task_planner::plan_copy(coherence_directory& directory, planned_copy& copy,
                             std::span<op_id const> after) {
  copy.op = ops_.add(op_kind::copy, stream_(copy.from, copy.to));
  for (auto const earlier : after) ops_.add_dependency(copy.op, earlier);
  for (auto const range : copy.bytes) directory.record_arrival(copy.op, copy.from, copy.to, range);
}

std::vector<planned_copy> task_planner::broadcast(coherence_directory& directory, byte_runs const& bytes,
                                                  std::span<shared_reader const> readers) {
  std::vector<place_id> places;
  for (auto const& reader : readers) places.push_back(reader.place);
  std::vector<planned_copy> copies;
  for (auto const& [from, to, ranges] :
       shared_read(only_at_the_host(directory, bytes), places, sources_.links())) {
    auto& copy = copies.emplace_back(planned_copy{.from = from, .to = to});
    for (auto const range : ranges) copy.add(range);
    plan_copy(directory, copy, std::ranges::find(readers, to, &shared_reader::place)->dependencies);
    sources_.mark_planned(from, to, copy.size);
  }
  return copies;
}

/// In chunks, so that what goes on from here to a next device need not wait for all of it.
void task_planner::choose_sources(std::vector<planned_copy>& copies, held_bytes const& piece, place_id to) {
  for (auto const& chunk : pieces_of({&piece.bytes, 1}, max_copy_bytes)) {
    auto const bytes = chunk.front();  // of one range, so it is one
    auto const from = sources_.choose(piece.places, to, bytes.size());
    auto& copy = copy_with_room(copies, from, to, bytes.size());
    if (copy.size != 0) sources_.mark_ended(from, to, copy.size);  // one copy, which grows
    copy.add(bytes);
    sources_.mark_planned(from, to, copy.size);
  }
}

void record_reads(coherence_directory& directory, op_id kernel, place_id at, byte_runs const& bytes) {
  bytes.for_each_interval([&](byte_range interval) { directory.record_read(kernel, at, interval); });
}

void record_writes(coherence_directory& directory, op_id kernel, place_id at, byte_runs const& bytes) {
  bytes.for_each_interval([&](byte_range interval) { directory.record_write(kernel, at, interval); });
}

std::optional<job_number> losing_job(coherence_directory const& directory, byte_runs const& bytes) {
  std::optional<job_number> found;
  bytes.for_each_interval([&](byte_range interval) {
    if (!found) found = directory.lost(interval);
  });
  return found;
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "arrays/task_planner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

bool all_are_usable(std::uint32_t places, std::vector<copy_link> const& links) {
  if (links.size() != std::size_t(places) * places) return false;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (i / places != i % places && !(links[i].bytes_per_ns > 0)) return false;
  return true;
}

copy_link expected_link(compute_device& from, compute_device& to) {
  auto const &a = from.costs(), &b = to.costs();
  auto const copy_ns = std::max(a.copy_ns, b.copy_ns);
  auto const host_link = std::min(a.host_bytes_per_ns, b.host_bytes_per_ns);
  copy_link const peer_link{std::min(a.peer_bytes_per_ns, b.peer_bytes_per_ns), true, copy_ns};
  bool const from_host = from.capabilities().shares_host_memory,
             to_host = to.capabilities().shares_host_memory;
  if (from_host && to_host) return peer_link;
  if (from_host != to_host) return {(from_host ? b : a).host_bytes_per_ns, false, copy_ns};
  return to.enable_peer_access(from) ? peer_link : copy_link{host_link / 2, false, copy_ns};
}

copy_link expected_host_link(compute_device const& device) {
  return {device.costs().host_bytes_per_ns, true, device.costs().copy_ns};
}

constexpr std::size_t stripe_alignment = 256;

using pieces = std::vector<std::vector<byte_range>>;

bool are_linked(place_id one, place_id other, copy_links const& links) {
  return links.between(one, other).direct && links.between(other, one).direct;
}

/// Groups readers that all have direct links to each other, into as few groups as a greedy pass gives.
std::vector<std::vector<place_id>> linked_groups(std::span<place_id const> readers, copy_links const& links) {
  std::vector<std::vector<place_id>> groups;
  for (auto const reader : readers) {
    auto const fits = [&](std::vector<place_id> const& group) {
      return std::ranges::all_of(group, [&](place_id one) { return are_linked(one, reader, links); });
    };
    auto const group = std::ranges::find_if(groups, fits);
    if (group == groups.end())
      groups.push_back({reader});
    else
      group->push_back(reader);
  }
  return groups;
}

/// Divides the bytes into at most `most` stripes, each in chunks.
std::vector<pieces> striped(std::span<byte_range const> bytes, std::size_t most) {
  std::size_t sum = 0;
  for (auto const range : bytes) sum += range.size();
  auto const count = std::clamp<std::size_t>(sum / min_stripe_bytes, 1, most);
  auto const each = ((sum + count - 1) / count + stripe_alignment - 1) / stripe_alignment * stripe_alignment;
  std::vector<pieces> stripes;
  for (auto const& stripe : pieces_of(bytes, each)) stripes.push_back(pieces_of(stripe, max_copy_bytes));
  return stripes;
}

/// Sends the first chunks of all stripes, then the second ones, and so on: a chunk from the host goes on to
/// the other devices while the next one arrives.
void add_ring(std::vector<shared_copy>& copies, std::vector<place_id> const& group,
              std::span<byte_range const> bytes) {
  auto const stripes = striped(bytes, group.size());
  auto const chunks = stripes.empty() ? 0 : stripes.front().size();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    for (std::size_t step = 0; step < group.size(); ++step)
      for (std::size_t reader = 0; reader < group.size(); ++reader) {
        auto const owner = (reader + step) % group.size();
        if (owner >= stripes.size() || chunk >= stripes[owner].size()) continue;
        copies.push_back({step == 0 ? host_place : group[owner], group[reader], stripes[owner][chunk]});
      }
}

enum port : std::size_t { out_to_host, in_from_host, out_to_devices, in_from_devices, ports };

bool is_one_of(std::uint32_t places, place_id place) { return places >> place.value() & 1; }

/// The newest copy from `from` if it has space for `bytes` more, else a new copy.
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

copy_links::copy_links(std::uint32_t places, std::vector<copy_link> links)
    : places_(places), links_(std::move(links)) {
  if (!all_are_usable(places_, links_))
    throw_bad_argument("links", links_.size(), std::to_string(std::size_t(places_) * places_) + " above 0");
  for (std::uint32_t place = 0; place < places_; ++place) {
    links_[place].direct = true;
    links_[std::size_t(place) * places_].direct = true;
  }
}

std::int64_t copy_links::ns_of(place_id from, place_id to, std::size_t bytes) const {
  auto const& link = between(from, to);
  return std::llround(link.copy_ns + double(bytes) / link.bytes_per_ns);
}

copy_links expected_links(device_list const& devices) {
  std::vector<copy_link> links{{default_costs(backend::host).host_bytes_per_ns}};
  for (auto const& to : devices) links.push_back(expected_host_link(*to));
  for (auto const& from : devices) {
    links.push_back(expected_host_link(*from));
    for (auto const& to : devices) links.push_back(expected_link(*from, *to));
  }
  return {std::uint32_t(devices.size() + 1), std::move(links)};
}

copy_sources::copy_sources(copy_links links)
    : links_(std::move(links)), queued_ns_(std::size_t(links_.places()) * ports) {}

std::size_t copy_sources::port_out(place_id from, place_id to) const {
  return from.value() * ports + (to == host_place ? out_to_host : out_to_devices);
}

std::size_t copy_sources::port_in(place_id from, place_id to) const {
  return to.value() * ports + (from == host_place ? in_from_host : in_from_devices);
}

std::int64_t copy_sources::arrival_ns(place_id from, place_id to, std::size_t bytes) const {
  return links_.ns_of(from, to, bytes) + queued_ns_[port_out(from, to)] + queued_ns_[port_in(from, to)];
}

/// True if the copy goes between devices, directly and at least as fast as one from the host. Devices share
/// the capacity of the host's links, but not of their own links.
bool copy_sources::avoids_host_link(place_id from, place_id to) const {
  auto const& link = links_.between(from, to);
  return from != host_place && to != host_place && link.direct &&
         link.bytes_per_ns >= links_.between(host_place, to).bytes_per_ns;
}

place_id copy_sources::choose(std::uint32_t holders, place_id to, std::size_t bytes) const {
  if (to.value() >= links_.places() || is_one_of(holders, to))
    throw_bad_argument("to", to.value(), "a place that does not hold the bytes");
  using rank = std::tuple<bool, bool, std::int64_t, place_id>;
  std::optional<rank> best;
  for (std::uint32_t number = 0; number < links_.places(); ++number) {
    place_id const from(number);
    if (!is_one_of(holders, from)) continue;
    rank const found{!links_.between(from, to).direct, !avoids_host_link(from, to),
                     arrival_ns(from, to, bytes), from};
    if (!best || found < *best) best = found;
  }
  if (!best) throw_bad_argument("holders", holders, "a bit for a place");
  return std::get<place_id>(*best);
}

void copy_sources::queue(place_id from, place_id to, std::size_t bytes, int sign) {
  auto const ns = sign * links_.ns_of(from, to, bytes);
  queued_ns_[port_out(from, to)] += ns;
  queued_ns_[port_in(from, to)] += ns;
}

std::vector<std::vector<byte_range>> pieces_of(std::span<byte_range const> bytes, std::size_t each) {
  pieces found;
  std::size_t room = 0;
  for (auto range : bytes)
    while (!range.is_empty()) {
      if (room == 0) found.emplace_back(), room = each;
      auto const size = std::min(room, range.size());
      found.back().push_back({range.begin, range.begin + size});
      range.begin += size;
      room -= size;
    }
  return found;
}

std::vector<shared_copy> shared_read(std::span<byte_range const> bytes, std::span<place_id const> readers,
                                     copy_links const& links) {
  std::vector<shared_copy> copies;
  for (auto const& group : linked_groups(readers, links)) add_ring(copies, group, bytes);
  return copies;
}

void planned_copy::add(byte_range more) {
  size += more.size();
  append(bytes, more);
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

/// Adds copies that bring the piece, in chunks, so that passing data on to a next device need not wait for
/// all of it.
void task_planner::choose_sources(std::vector<planned_copy>& copies, held_bytes const& piece, place_id to) {
  for (auto const& chunk : pieces_of({&piece.bytes, 1}, max_copy_bytes)) {
    auto const bytes = chunk.front();  // part of one range, so it is one range
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

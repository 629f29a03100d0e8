// SPDX-License-Identifier: Apache-2.0
#include "copy_source.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
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
  if (!from.is_cuda() && !to.is_cuda()) return peer_link;
  if (from.is_cuda() != to.is_cuda()) return {(from.is_cuda() ? a : b).host_bytes_per_ns, false, copy_ns};
  return to.enable_peer_access(from) ? peer_link : copy_link{host_link / 2, false, copy_ns};
}

copy_link expected_host_link(compute_device const& device) {
  return {device.costs().host_bytes_per_ns, true, device.costs().copy_ns};
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

namespace {

enum port : std::size_t { out_to_host, in_from_host, out_to_devices, in_from_devices, ports };

bool is_one_of(std::uint32_t places, place_id place) { return places >> place.value() & 1; }

}  // namespace

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

/// Devices share the capacity of the host's links, but not of their own links.
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

}  // namespace ballast::detail

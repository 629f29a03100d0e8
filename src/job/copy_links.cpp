// SPDX-License-Identifier: Apache-2.0
#include "copy_links.hpp"

#include <cmath>
#include <utility>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr double copy_latency_ns = 10'000;
// Expected, not measured.
constexpr double host_link = 55, peer_link = 395, copying_core = 10;

bool all_are_usable(std::uint32_t places, std::vector<copy_link> const& links) {
  if (links.size() != std::size_t(places) * places) return false;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (i / places != i % places && !(links[i].bytes_per_ns > 0)) return false;
  return true;
}

copy_link expected_link(compute_device& from, compute_device& to) {
  if (!from.is_cuda() && !to.is_cuda()) return {copying_core};
  if (from.is_cuda() != to.is_cuda()) return {host_link, false};
  return to.enable_peer_access(from) ? copy_link{peer_link} : copy_link{host_link / 2, false};
}

copy_link expected_host_link(compute_device const& device) {
  return {device.is_cuda() ? host_link : copying_core};
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
  return std::llround(copy_latency_ns + double(bytes) / between(from, to).bytes_per_ns);
}

copy_links expected_links(device_list const& devices) {
  std::vector<copy_link> links{{copying_core}};
  for (auto const& to : devices) links.push_back(expected_host_link(*to));
  for (auto const& from : devices) {
    links.push_back(expected_host_link(*from));
    for (auto const& to : devices) links.push_back(expected_link(*from, *to));
  }
  return {std::uint32_t(devices.size() + 1), std::move(links)};
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "rank_shares.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace ballast::detail {
namespace {

constexpr std::uint64_t scale = std::uint64_t(1) << 20;  // unit of weights, which are units per ns
constexpr std::uint64_t least_gain_percent = 3;

std::uint64_t part_of(std::uint64_t whole, std::uint64_t of, std::uint64_t total) {
  __extension__ using wide = unsigned __int128;
  return std::uint64_t(wide(whole) * of / total);
}

/// Empty if the speed of any rank is unknown.
std::vector<std::uint64_t> speeds_of(std::span<rank_time const> of_ranks) {
  std::vector<std::uint64_t> speeds;
  for (auto const& one : of_ranks) {
    if (one.units == 0 || one.ns == 0 || one.units > std::numeric_limits<std::uint64_t>::max() / scale)
      return {};
    speeds.push_back(std::max<std::uint64_t>(one.units * scale / one.ns, 1));
  }
  return speeds;
}

}  // namespace

bool rank_shares::is_due(job_site const& site) const {
  auto const found = sites_.find(site);
  return found != sites_.end() && found->second.jobs > 1 && std::has_single_bit(found->second.jobs);
}

void rank_shares::learn(job_site const& site, std::span<rank_time const> of_ranks) {
  auto const speeds = speeds_of(of_ranks);
  if (speeds.empty()) return;
  std::uint64_t units = 0, slowest_ns = 0, speed = 0;
  for (auto const& one : of_ranks) units += one.units, slowest_ns = std::max(slowest_ns, one.ns);
  for (auto const one : speeds) speed += one;
  auto const together_ns = part_of(units, scale, speed);
  if (together_ns < part_of(slowest_ns, 100 - least_gain_percent, 100)) sites_[site].weights = speeds;
}

index_range rank_shares::part(job_site const& site, std::uint64_t units, std::uint32_t rank) const {
  auto const found = sites_.find(site);
  if (found == sites_.end() || found->second.weights.empty()) return part_of_rank(units, rank, ranks_);
  auto const& weights = found->second.weights;
  auto const first = weights.begin();
  auto const total = std::accumulate(first, weights.end(), std::uint64_t(0));
  auto const border = [&](std::uint32_t of) {
    return part_of(units, std::accumulate(first, first + of, std::uint64_t(0)), total);
  };
  return {border(rank), border(rank + 1)};
}

index_range part_of_rank(std::size_t whole, std::uint32_t rank, std::uint32_t ranks) {
  auto const first_of = [&](std::uint32_t one) {
    return whole / ranks * one + std::min<std::size_t>(one, whole % ranks);
  };
  return {first_of(rank), first_of(rank + 1)};
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "batches.hpp"

#include <algorithm>
#include <numeric>

namespace ballast::ep {
namespace {

constexpr std::uint32_t usual_log2_count = 22, min_log2 = 8, max_log2 = 16;

std::uint32_t log2_of_a_batch(std::uint32_t log2_pairs) {
  auto const wanted = log2_pairs > usual_log2_count ? log2_pairs - usual_log2_count : 0;
  return std::min(std::clamp(wanted, min_log2, max_log2), log2_pairs);
}

}  // namespace

batches::batches(std::uint32_t log2_pairs)
    : log2_count(log2_pairs - log2_of_a_batch(log2_pairs)), log2_pairs_of_each(log2_of_a_batch(log2_pairs)) {}

tally sum_of(std::span<double const> sx, std::span<double const> sy, std::span<std::uint32_t const> counts) {
  tally sum{std::accumulate(sx.begin(), sx.end(), 0.0), std::accumulate(sy.begin(), sy.end(), 0.0), {}};
  for (std::size_t i = 0; i < counts.size(); ++i) sum.counts[i % annuli] += counts[i];
  return sum;
}

}  // namespace ballast::ep

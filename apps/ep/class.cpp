// SPDX-License-Identifier: Apache-2.0
#include "class.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ballast/arguments.hpp"

namespace ballast::ep {
namespace {

using counted = std::array<std::uint64_t, annuli>;

constexpr problem_class classes[] = {
    {'S', 24, -3.247834652034740e3, -6.958407078382297e3, 13176389,
     counted{6140517, 5865300, 1100361, 68546, 1648, 17}},
    {'W', 25, -2.863319731645753e3, -6.320053679109499e3, 26354769,
     counted{12281576, 11729692, 2202726, 137368, 3371, 36}},
    {'A', 28, -4.295875165629892e3, -1.580732573678431e4, 210832767,
     counted{98257395, 93827014, 17611549, 1110028, 26536, 245}},
    {'B', 30, 4.033815542441498e4, -2.660669192809235e4, 843345606,
     counted{393058470, 375280898, 70460742, 4438852, 105691, 948, 5}},
    {'C', 32, 4.764367927995374e4, -8.084072988043731e4, 3373275903,
     counted{1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13}},
    {'D', 36, 1.982481200946593e5, -1.020596636361769e5, 53972171957,
     counted{25154622775, 24017899906, 4508609839, 284201296, 6776403, 61541, 197}},
    {'E', 40, -5.319717441530e5, -3.688834557731e5, 863554308186, std::nullopt},
};

bool is_near(double found, double expected) {
  return std::abs(found - expected) <= 1e-8 * std::abs(expected);
}

constexpr std::uint32_t usual_log2_count = 22, min_log2 = 8, max_log2 = 16;

std::uint32_t log2_of_a_batch(std::uint32_t log2_pairs) {
  auto const wanted = log2_pairs > usual_log2_count ? log2_pairs - usual_log2_count : 0;
  return std::min(std::clamp(wanted, min_log2, max_log2), log2_pairs);
}

}  // namespace

std::uint64_t tally::pairs() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

std::span<problem_class const> problem_classes() { return classes; }

problem_class const& class_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& one : classes) names.emplace_back(&one.name, 1);
  return classes[index_among(names, "class", name)];
}

bool is_right(tally const& found, problem_class const& expected) {
  bool const counts_agree = !expected.counts || found.counts == *expected.counts;
  return counts_agree && found.pairs() == expected.pairs && is_near(found.sx, expected.sx) &&
         is_near(found.sy, expected.sy);
}

batches::batches(std::uint32_t log2_pairs)
    : log2_count(log2_pairs - log2_of_a_batch(log2_pairs)), log2_pairs_of_each(log2_of_a_batch(log2_pairs)) {}

tally sum_of(std::span<double const> sx, std::span<double const> sy, std::span<std::uint32_t const> counts) {
  tally sum{std::accumulate(sx.begin(), sx.end(), 0.0), std::accumulate(sy.begin(), sy.end(), 0.0), {}};
  for (std::size_t i = 0; i < counts.size(); ++i) sum.counts[i % annuli] += counts[i];
  return sum;
}

}  // namespace ballast::ep

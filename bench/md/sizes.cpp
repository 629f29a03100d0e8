// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "md/benchmarks.hpp"
#include "md/fp32_fraction.hpp"
#include "md/pair_formula.cuh"
#include "md/solution_race.hpp"

namespace ballast::bench {
namespace {

/// For all pairs the work grows with the square: the largest systems get fewer turns, so that one GPU
/// finishes all sizes in about a minute (estimated, not measured).
constexpr std::size_t large_for_all_pairs = std::size_t(1) << 18;
constexpr int repetitions_of_large = 3;

std::vector<std::size_t> powers_of_two(std::size_t first, std::size_t last, std::size_t factor = 2) {
  std::vector<std::size_t> all;
  for (auto n = first; n <= last; n *= factor) all.push_back(n);
  return all;
}

std::vector<std::size_t> sizes_by_cells(session const& now) {
  if (!now.first()->is_cuda() || now.quick()) return powers_of_two(4096, now.size(131072, 16384));
  return powers_of_two(std::size_t(1) << 15, std::size_t(1) << 22);
}

std::vector<std::size_t> sizes_by_all_pairs(session const& now) {
  if (!now.first()->is_cuda() || now.quick()) return powers_of_two(2048, now.size(16384, 4096));
  return powers_of_two(std::size_t(1) << 15, std::size_t(1) << 19);
}

/// The possible gain of a perfect balancer: the busiest device's time over the mean, for S1.
void derive_imbalance(session& now, std::size_t atoms, md::comparison const& result) {
  for (auto const& one : result.solutions)
    now.derived(std::string(md::name_of(one.which)) + ".imbalance@" + std::to_string(atoms), one.imbalance);
}

void measure_sizes(session& now, std::vector<std::size_t> const& sizes, bool all_pairs) {
  begin_races(now);
  now.parameter("forces", all_pairs ? "all-pairs" : "cells");
  for (auto const atoms : sizes) {
    auto plan = droplet(now, atoms, all_solutions);
    plan.what.all_pairs = all_pairs;
    if (all_pairs && atoms >= large_for_all_pairs) plan.repeat = repetitions_of_large;
    auto const result = race(now, now.devices(), plan);
    add_speed_ups_over_s1(now, double(atoms), result);
    if (now.devices().size() > 1) derive_imbalance(now, atoms, result);
    if (all_pairs) derive_fp32_fractions(now, atoms, result);
  }
}

}  // namespace

void measure_md_sizes(session& now) {
  now.axes("Speed-up over S1, and seconds per step (forces by cells)", "atoms", "speed-up over S1", true);
  measure_sizes(now, sizes_by_cells(now), false);
}

void measure_md_sizes_all_pairs(session& now) {
  now.axes("Speed-up over S1, and seconds per step (forces by all pairs)", "atoms", "speed-up over S1", true);
  now.parameter("operations to test a pair", md::operations_to_test);
  now.parameter("operations of a pair in range", md::operations_in_range);
  if (auto const peak = fp32_peak(now.devices()))
    now.parameter("fp32 operations a second of the devices", *peak);
  now.parameter("repetitions from " + std::to_string(large_for_all_pairs) + " atoms on",
                repetitions_of_large);
  measure_sizes(now, sizes_by_all_pairs(now), true);
}

}  // namespace ballast::bench

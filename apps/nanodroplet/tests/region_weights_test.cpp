// SPDX-License-Identifier: Apache-2.0
// Weights of regions from invented chains, and the signs that chains have converged.

#include "nanodroplet/region_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nanodroplet/launchers.hpp"
#include "nanodroplet/local_sampling.hpp"

namespace ballast::nanodroplet {
namespace {

/// Four chains that would have left with these probabilities to these basins, each varied by plus or minus
/// `spread` of it.
region_exits region_with(std::uint32_t basin, std::vector<std::pair<std::uint32_t, double>> const& exits,
                         double spread = 0) {
  region_exits region{basin, std::vector<chain_exits>(4)};
  for (std::size_t k = 0; k < 4; ++k) {
    region.chains[k].trajectories = 1000;
    for (auto const& [to, chance] : exits)
      region.chains[k].to[to] = 1000 * chance * (1 + (k % 2 == 0 ? spread : -spread));
  }
  return region;
}

/// One region per weight, with probabilities in detailed balance: weight times probability is equal in both
/// directions.
std::vector<region_exits> balanced(std::vector<double> const& weights) {
  std::vector<region_exits> regions;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    std::vector<std::pair<std::uint32_t, double>> exits;
    for (std::uint32_t j = 0; j < weights.size(); ++j)
      if (i != j && (i + j) % 3 != 0) exits.emplace_back(j, 1e-3 * std::min(1.0, weights[j] / weights[i]));
    regions.push_back(region_with(i, exits));
  }
  return regions;
}

TEST(nanodroplet_weights, are_those_with_which_the_chances_to_leave_are_in_balance) {
  std::vector<double> const known{0.4, 0.3, 0.2, 0.0999, 1e-4, 1e-12};
  auto const found = weights_of(balanced(known));
  double sum = 0;
  for (double const weight : known) sum += weight;
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_NEAR(found[i].weight, known[i] / sum, 1e-12 * known[i]);
    EXPECT_EQ(found[i].error, 0);
  }
}

TEST(nanodroplet_weights, of_a_single_region_are_one_and_of_none_none) {
  EXPECT_TRUE(weights_of({}).empty());
  std::vector const one{region_with(7, {{3, 0.5}})};
  EXPECT_EQ(weights_of(one).front().weight, 1);
  EXPECT_EQ(weights_of(one).front().error, 0);
}

TEST(nanodroplet_weights, leave_exits_out_that_lead_where_nothing_was_sampled) {
  std::vector const alone{region_with(0, {{1, 0.02}}), region_with(1, {{0, 0.01}})};
  std::vector const leaking{region_with(0, {{1, 0.02}, {5, 0.4}}), region_with(1, {{0, 0.01}, {9, 0.1}})};
  for (std::size_t i : {0u, 1u}) EXPECT_EQ(weights_of(leaking)[i].weight, weights_of(alone)[i].weight);
  EXPECT_NEAR(weights_of(alone)[1].weight, 2.0 / 3, 1e-15);
}

TEST(nanodroplet_weights, have_the_error_of_two_regions_that_can_be_had_by_hand) {
  // w1 / w0 = a / b. Chains of a differ by 10 %, those of b by 20 %: standard deviations of 0.1 and 0.2 times
  // sqrt(4 / 3), and half of that for their means.
  std::vector const two{region_with(0, {{1, 0.02}}, 0.1), region_with(1, {{0, 0.01}}, 0.2)};
  double const relative = std::hypot(0.1, 0.2) / std::sqrt(3.0), w = 2.0 / 3;
  EXPECT_NEAR(weights_of(two)[1].error, w * (1 - w) * relative, 1e-12);
  EXPECT_NEAR(weights_of(two)[0].error, w * (1 - w) * relative, 1e-12);
}

TEST(nanodroplet_weights, are_unknown_of_regions_that_are_not_linked_there_and_back) {
  std::vector const three{region_with(0, {{1, 0.02}}), region_with(1, {{0, 0.01}, {2, 0.1}}),
                          region_with(2, {})};
  auto const found = weights_of(three);
  EXPECT_NEAR(found[1].weight, 2.0 / 3, 1e-15);
  EXPECT_TRUE(std::isnan(found[2].weight));
  EXPECT_TRUE(std::isnan(found[2].error));
  std::vector const apart{region_with(0, {{1, 0.02}}), region_with(1, {})};
  for (auto const& one : weights_of(apart)) EXPECT_TRUE(std::isnan(one.weight));
}

TEST(nanodroplet_weights, of_chains_without_a_trajectory_are_unknown) {
  std::vector two{region_with(0, {{1, 0.02}}), region_with(1, {{0, 0.01}})};
  for (auto& chain : two[1].chains) chain = {};
  for (auto const& one : weights_of(two)) EXPECT_TRUE(std::isnan(one.weight));
}

/// M7 without water and trajectories so coarse that many are rejected, kept in its basin.
std::vector<std::unique_ptr<markov_chain>> kept_chain() {
  constexpr double time_step = 6;
  std::vector<std::unique_ptr<markov_chain>> chains;
  chains.push_back(std::make_unique<markov_chain>(
      droplet{{}, minima_in(80, false).front().beads}, sampling_settings{time_step, 800, 20, 201}, 1,
      std::make_unique<reference_launcher>(0, m12::chain_beads, time_step)));
  chains.front()->stay_in_basin();
  while (!chains.front()->is_done()) chains.front()->advance();
  return chains;
}

TEST(nanodroplet_exits, count_by_the_chance_to_be_accepted_all_but_the_first_half) {
  auto const chains = kept_chain();
  auto const settled = settled_part(*chains.front());
  EXPECT_EQ(settled.size(), 101u);
  EXPECT_EQ(settled.back(), chains.front()->records().back());
  std::array<double, torsion_basins> known{};
  double left = 0;
  for (auto const& record : settled) {
    if (record.proposed_basin == 80) continue;
    ++left;
    known[record.proposed_basin] += std::min(1.0, std::exp(-record.energy_error / (boltzmann * 800)));
  }
  auto const exits = exits_of(chains, 800);
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_EQ(exits.front().trajectories, 101);
  EXPECT_EQ(exits.front().to, known);
  EXPECT_GT(exits.front().total(), 5);
  EXPECT_LT(exits.front().total(), 0.9 * left);  // some would have been rejected anyway
}

TEST(nanodroplet_shares, of_a_torsion_sum_up_to_one_and_lie_in_its_well) {
  auto const shares = torsion_shares_of(kept_chain());
  for (auto const& of_torsion : shares) {
    double sum = 0;
    for (double const share : of_torsion) sum += share;
    EXPECT_NEAR(sum, 1, 1e-12);
    for (std::size_t bin = 4; bin < 20; ++bin) EXPECT_EQ(of_torsion[bin], 0);  // -120 .. 120 degrees
  }
}

TEST(nanodroplet_convergence, is_near_one_for_chains_that_tell_the_same_and_large_for_others) {
  std::vector<std::vector<double>> chains(4);
  for (std::uint64_t k = 0; k < 4; ++k) {
    deviates random(k, 0);
    for (int i = 0; i < 1000; ++i) chains[k].push_back(random.normal());
  }
  EXPECT_NEAR(scale_reduction(chains), 1, 0.01);
  for (auto& value : chains[2]) value += 3;
  // The variance within a chain is 1, that of the means 9 / 4: 1 + 9 / 4 in all.
  EXPECT_NEAR(scale_reduction(chains), std::sqrt(3.25), 0.1);
}

TEST(nanodroplet_convergence, cannot_be_told_of_one_chain_short_ones_or_such_as_stand_still) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(scale_reduction(std::vector<std::vector<double>>{}), infinite);
  EXPECT_EQ(scale_reduction(std::vector<std::vector<double>>{{1, 2, 3}}), infinite);
  EXPECT_EQ(scale_reduction(std::vector<std::vector<double>>{{1}, {2}}), infinite);
  EXPECT_EQ(scale_reduction(std::vector<std::vector<double>>{{1, 1}, {1, 1}}), infinite);
}

}  // namespace
}  // namespace ballast::nanodroplet

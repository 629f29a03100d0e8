// SPDX-License-Identifier: Apache-2.0
// The outer loop of Wende et al. 2012, section V-A: which regions it finds, when they end, and that the
// outcome depends only on plan and rules.

#include "nanodroplet/glat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "ballast/error.hpp"
#include "failing_launcher.hpp"
#include "nanodroplet/launch_mode.hpp"
#include "nanodroplet/launchers.hpp"
#include "nanodroplet/local_sampling.hpp"
#include "nanodroplet/solute.hpp"
#include "sanitized.hpp"
#include "test_devices.hpp"

namespace ballast::nanodroplet::glat_test {
namespace {

using test::test_devices;

bool never() { return false; }

constexpr std::uint32_t all_trans = 80;

/// M7 without water, so hot that its torsions change.
sampling_plan vacuum_plan(std::uint32_t most_trajectories, double temperature) {
  sampling_plan plan;
  plan.system = {0, true, 0, false};
  plan.conformers = 1;
  plan.settings = {4, temperature, 20, most_trajectories};
  plan.threads = 2;
  plan.are_alike = false;
  return plan;
}

std::unique_ptr<chain_launcher> launcher_in_vacuum(std::size_t) {
  return std::make_unique<reference_launcher>(0, m12::chain_beads, 4);
}

std::unique_ptr<chain_launcher> launcher_of_m12_in_vacuum(std::size_t) {
  return std::make_unique<reference_launcher>(0, m12::beads, 4);
}

glat_outcome sampled(sampling_plan const& plan, glat_rules const& rules, launcher_maker const& make) {
  glat_sampling work(plan, rules, make);
  work.run(true, &never);
  EXPECT_FALSE(work.was_stopped());
  return work.outcome();
}

std::vector<std::uint32_t> basins_of(glat_outcome const& outcome) {
  std::vector<std::uint32_t> basins;
  for (auto const& region : outcome.regions) basins.push_back(region.basin);
  return basins;
}

region_chains chains_of(glat_outcome const& outcome, std::size_t region) {
  return region_chains(outcome.chains).subspan(4 * region, 4);
}

TEST(nanodroplet_glat, samples_one_region_where_every_other_conformer_is_too_strained) {
  auto plan = vacuum_plan(20, 600);
  plan.system.has_sides = true;
  auto const found = sampled(plan, {.window = 0}, &launcher_of_m12_in_vacuum);
  EXPECT_THAT(basins_of(found), testing::ElementsAre(all_trans));
  EXPECT_EQ(found.regions.front().strain, 0);
  EXPECT_EQ(found.chains.size(), 4u);
}

/// The basins that single turns reach from the first conformer within the window.
std::vector<std::uint32_t> closure(double window) {
  std::vector<std::uint32_t> found{all_trans};
  double const lowest = minima_in(all_trans, false).front().energy;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (auto const next : basins_beside(found[i])) {
      auto const& minima = minima_in(next, false);
      if (minima.empty() || minima.front().energy > lowest + window) continue;
      if (std::ranges::find(found, next) == found.end()) found.push_back(next);
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST(nanodroplet_glat, goes_on_until_no_perturbation_leads_to_a_new_conformer) {
  auto const found = sampled(vacuum_plan(8, 600), {.look_every = 4, .window = 6}, &launcher_in_vacuum);
  EXPECT_EQ(basins_of(found), closure(6));
  EXPECT_GT(found.regions.size(), 60u);
  for (auto const& region : found.regions) EXPECT_LE(region.strain, 6);
  for (auto const& chain : found.chains) EXPECT_TRUE(chain->is_done());
}

TEST(nanodroplet_glat, begins_each_chain_with_the_seed_of_its_region_and_at_a_minimum_of_its_own) {
  auto plan = vacuum_plan(4, 300);
  plan.system.has_sides = true;
  plan.seed = 7;
  auto const found = sampled(plan, {.window = 0}, &launcher_of_m12_in_vacuum);
  ASSERT_EQ(found.chains.size(), 4u * found.regions.size());
  std::vector<std::uint64_t> seeds;
  std::vector<std::uint32_t> sides;
  for (auto const& chain : chains_of(found, found.regions.size() - 1)) {
    seeds.push_back(chain->seed());
    sides.push_back(sides_of(chain->state().beads));
  }
  EXPECT_THAT(seeds, testing::ElementsAre(80'007, 80'008, 80'009, 80'010));
  std::ranges::sort(sides);
  EXPECT_EQ(std::unique(sides.begin(), sides.end()), sides.end());
}

TEST(nanodroplet_glat, ends_each_region_when_its_chains_tell_the_same_or_are_long_enough) {
  auto const found = sampled(vacuum_plan(400, 600), {.look_every = 20, .most_ratio = 1.05, .window = 0.2},
                             &launcher_in_vacuum);
  std::size_t shortest = 400, longest = 0;
  for (std::size_t i = 0; i < found.regions.size(); ++i) {
    auto const& region = found.regions[i];
    auto const length = chains_of(found, i).front()->records().size();
    shortest = std::min(shortest, length), longest = std::max(longest, length);
    for (auto const& chain : chains_of(found, i)) {
      EXPECT_EQ(chain->records().size(), length);
      for (auto const& record : chain->records()) EXPECT_EQ(basin_of(record.shape.torsions), region.basin);
    }
    EXPECT_EQ(length % 20, 0u);
    EXPECT_EQ(region.ratio, scale_reduction_of(chains_of(found, i)));
    EXPECT_EQ(region.has_converged, region.ratio <= 1.05);
    EXPECT_TRUE(region.has_converged || length == 400);
  }
  EXPECT_GE(longest, 4 * shortest);  // giants among short ones
}

/// The time of a free chain in the regions that were found: fractions, and their errors over independent
/// chains.
struct direct_weights {
  std::array<double, torsion_basins> mean{}, error{};
};

direct_weights directly_sampled(double temperature, glat_outcome const& regions) {
  constexpr std::uint32_t chains = 12, trajectories = 1200, discarded = 120;
  std::vector<std::array<double, torsion_basins>> shares(chains);
  auto const basins = basins_of(regions);
  for (std::uint32_t k = 0; k < chains; ++k) {
    markov_chain chain({{}, minima_in(basins[k % basins.size()], false).front().beads},
                       {4, temperature, 25, trajectories}, 5000 + k, launcher_in_vacuum(0));
    while (!chain.is_done()) chain.advance();
    double inside = 0;
    for (auto const& record : std::span(chain.records()).subspan(discarded)) {
      auto const basin = basin_of(record.shape.torsions);
      if (std::ranges::find(basins, basin) != basins.end()) ++shares[k][basin], ++inside;
    }
    for (auto& share : shares[k]) share /= inside;
  }
  direct_weights found;
  for (auto const basin : basins) {
    double sum = 0, squares = 0;
    for (auto const& of : shares) sum += of[basin] / chains;
    for (auto const& of : shares) squares += (of[basin] - sum) * (of[basin] - sum);
    found.mean[basin] = sum;
    found.error[basin] = std::sqrt(squares / (chains - 1) / chains);
  }
  return found;
}

TEST(nanodroplet_glat, weighs_all_basins_as_one_long_direct_sampling_does) {
  if (test::sanitized) GTEST_SKIP() << "a million steps are too many here";
  constexpr double temperature = 600;
  auto const found = sampled(vacuum_plan(400, temperature),
                             {.look_every = 20, .most_ratio = 1.03, .window = 3}, &launcher_in_vacuum);
  std::vector<region_exits> exits;
  for (std::size_t i = 0; i < found.regions.size(); ++i)
    exits.push_back({found.regions[i].basin, exits_of(chains_of(found, i), temperature)});
  auto const weights = weights_of(exits);
  auto const direct = directly_sampled(temperature, found);
  double const regions = static_cast<double>(weights.size());
  double sum = 0, squares = 0, squares_of_equal_weights = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto const basin = exits[i].basin;
    double const error = std::hypot(weights[i].error, direct.error[basin]);
    EXPECT_NEAR(weights[i].weight, direct.mean[basin], 6 * error) << name_of_basin(basin);
    EXPECT_LT(weights[i].error, 0.8 * weights[i].weight) << name_of_basin(basin);
    squares += std::pow((weights[i].weight - direct.mean[basin]) / error, 2);
    squares_of_equal_weights += std::pow((1 / regions - direct.mean[basin]) / error, 2);
    sum += weights[i].weight;
  }
  EXPECT_EQ(basins_of(found), closure(3));
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_LT(squares, 2.5 * regions);
  EXPECT_GT(squares_of_equal_weights, 10 * regions);  // so that agreement is significant
}

/// Few waters, and a step so long that some trajectories are rejected.
sampling_plan droplet_plan(std::uint32_t threads) {
  sampling_plan plan;
  plan.system = {8, true, 0, false};
  plan.conformers = 2;
  plan.settings = {1.5, 600, 4, 16};
  plan.minimiser_iterations = 50;
  plan.threads = threads;
  plan.are_alike = false;
  return plan;
}

constexpr glat_rules droplet_rules{.look_every = 4, .most_ratio = 2, .window = 0.1};

glat_outcome sampled_by(std::string_view mode, device_list const& devices, std::uint32_t threads,
                        launch_options const& options = {}) {
  auto const plan = droplet_plan(threads);
  auto const source = launch_mode_named(mode).open(plan, devices, options);
  return sampled(plan, droplet_rules, [&](std::size_t chain) { return source->make(chain); });
}

glat_outcome const& by_reference() {
  static auto const known = sampled_by("reference", {}, 1);
  return known;
}

void expect_same_decisions(glat_outcome const& found, glat_outcome const& known) {
  ASSERT_EQ(basins_of(found), basins_of(known));
  for (std::size_t i = 0; i < known.regions.size(); ++i)
    EXPECT_EQ(found.regions[i].has_converged, known.regions[i].has_converged);
  for (std::size_t i = 0; i < known.chains.size(); ++i) {
    auto const &one = found.chains[i]->records(), &other = known.chains[i]->records();
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t t = 0; t < other.size(); ++t) {
      EXPECT_EQ(one[t].accepted, other[t].accepted);
      EXPECT_EQ(one[t].proposed_basin, other[t].proposed_basin);
    }
  }
}

void expect_same_bits(glat_outcome const& found, glat_outcome const& known) {
  ASSERT_EQ(basins_of(found), basins_of(known));
  for (std::size_t i = 0; i < known.regions.size(); ++i)
    EXPECT_EQ(found.regions[i].ratio, known.regions[i].ratio);
  for (std::size_t i = 0; i < known.chains.size(); ++i) {
    EXPECT_EQ(found.chains[i]->records(), known.chains[i]->records());
    EXPECT_EQ(found.chains[i]->state(), known.chains[i]->state());
  }
}

TEST(nanodroplet_glat, has_regions_of_different_lengths_in_the_droplet_of_the_next_tests) {
  std::vector<std::size_t> lengths;
  for (auto const& chain : by_reference().chains) lengths.push_back(chain->records().size());
  EXPECT_GT(by_reference().regions.size(), 3u);
  EXPECT_LT(*std::ranges::min_element(lengths), *std::ranges::max_element(lengths));
}

TEST(nanodroplet_glat, decides_alike_in_every_mode_on_any_devices_with_any_number_of_threads) {
  auto const& all = test_devices();
  bool const are_gpus = std::ranges::all_of(all, [](auto const& device) { return device->is_cuda(); });
  expect_same_bits(sampled_by("reference", {}, 3), by_reference());
  for (auto const& mode : launch_modes()) {
    if (!mode.on_devices || (mode.on_gpus_only && !are_gpus)) continue;
    SCOPED_TRACE(mode.name);
    expect_same_decisions(sampled_by(mode.name, all, 3), by_reference());
  }
}

TEST(nanodroplet_glat, repeats_every_bit_on_devices_of_one_kind_and_with_more_chains_than_streams) {
  auto const device = test_devices().front();
  device_list const one{device};
  auto const known = sampled_by("streams", one, 1);
  launch_options few;
  few.streams = 1;
  expect_same_bits(sampled_by("queue", one, 2, few), known);
  expect_same_bits(sampled_by("batched", one, 3), known);
  device_list const others = device->is_cuda() ? one : open_devices("host:1,host:1,host:1");
  for (auto const* const mode : {"queue", "streams", "batched"})
    expect_same_bits(sampled_by(mode, others, 2), known);
}

TEST(nanodroplet_glat, ends_between_steps_when_asked_to_stop) {
  for (int const most_looks : {0, 3, 40}) {
    auto plan = vacuum_plan(400, 600);
    std::atomic<int> looks = 0;
    glat_sampling work(plan, {.most_ratio = 1.001, .window = 1}, &launcher_in_vacuum);
    work.run(true, [&] { return ++looks > most_looks; });
    EXPECT_TRUE(work.was_stopped());
    auto const found = work.outcome();
    EXPECT_EQ(found.chains.size(), 4 * found.regions.size());
    EXPECT_LT(found.regions.size(), 5u);
  }
}

TEST(nanodroplet_glat, stops_all_and_tells_why_when_a_chain_fails) {
  glat_sampling work(vacuum_plan(40, 600), {}, [](std::size_t chain) -> std::unique_ptr<chain_launcher> {
    if (chain == 4 * 79 + 1) return std::make_unique<failing_launcher>(launcher_in_vacuum(chain));
    return launcher_in_vacuum(chain);
  });
  EXPECT_THAT([&] { work.run(true, &never); }, testing::ThrowsMessage<std::runtime_error>("planted"));
}

}  // namespace
}  // namespace ballast::nanodroplet::glat_test

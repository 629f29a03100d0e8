// SPDX-License-Identifier: Apache-2.0
// Hybrid Monte Carlo on the reference: properties that hold whatever moves the water.

#include "nanodroplet/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ballast/error.hpp"
#include "nanodroplet/launchers.hpp"
#include "nanodroplet/reference_forces.hpp"

namespace ballast::nanodroplet {
namespace {

constexpr double kt = boltzmann * 300;

markov_chain chain_from(droplet const& start, sampling_settings const& settings, std::uint64_t seed) {
  return {start, settings, seed,
          std::make_unique<reference_launcher>(start.waters(), start.beads.size(), settings.time_step)};
}

markov_chain finished_chain(droplet const& start, sampling_settings const& settings, std::uint64_t seed = 1) {
  auto chain = chain_from(start, settings, seed);
  while (!chain.is_done()) chain.advance();
  return chain;
}

droplet relaxed(std::uint32_t waters, bool has_solute) {
  return minimised(make_droplet({waters, has_solute, 0}), 500, 1e-2).system;
}

TEST(nanodroplet_minimiser, lowers_the_energy_until_no_force_is_left) {
  auto const start = make_droplet({8, true, 0});
  auto const found = minimised(start, 20'000, 1e-2);
  EXPECT_LT(found.greatest_force, 1e-2);
  EXPECT_LT(found.iterations, 20'000u);
  EXPECT_EQ(energy_of(found.system).total(), found.energy);
  EXPECT_LT(found.energy, energy_of(start).total() - 150);
  EXPECT_EQ(minimised(start, 20'000, 1e-2).system, found.system);
}

TEST(nanodroplet_minimiser, ends_after_the_iterations_asked_for_or_when_stopped) {
  auto const start = make_droplet({8, true, 0});
  EXPECT_EQ(minimised(start, 0, 1e-3).system, start);
  EXPECT_EQ(minimised(start, 3, 1e-3).iterations, 3u);
  int asked = 0;
  EXPECT_EQ(minimised(start, 1000, 1e-3, [&] { return ++asked > 7; }).iterations, 7u);
}

TEST(nanodroplet_deviates, are_uniform_and_normal_and_differ_between_trajectories_and_seeds) {
  double sum = 0, squares = 0, fourth = 0, flat = 0;
  constexpr int draws = 200'000;
  deviates random(7, 3);
  for (int i = 0; i < draws; ++i) {
    double const x = random.normal();
    sum += x, squares += x * x, fourth += x * x * x * x;
    flat += random.uniform();
  }
  EXPECT_NEAR(sum / draws, 0, 0.01);
  EXPECT_NEAR(squares / draws, 1, 0.015);
  EXPECT_NEAR(fourth / draws, 3, 0.1);
  EXPECT_NEAR(flat / draws, 0.5, 0.003);
  EXPECT_NE(deviates(7, 3).uniform(), deviates(7, 4).uniform());
  EXPECT_NE(deviates(7, 3).uniform(), deviates(8, 3).uniform());
  EXPECT_EQ(deviates(7, 3).uniform(), deviates(7, 3).uniform());
}

TEST(nanodroplet_chain, draws_velocities_with_3_n_kt_of_kinetic_energy_in_two) {
  auto const start = make_droplet({27, true, 0});
  // A step so long that nothing is accepted: each record then has the drawn kinetic energy.
  auto const chain = finished_chain(start, {1000, 300, 1, 400});
  double sum = 0;
  for (auto const& record : chain.records()) {
    ASSERT_FALSE(record.accepted);
    sum += record.kinetic;
  }
  double const degrees = 3.0 * static_cast<double>(start.atoms());
  double const error = kt * std::sqrt(degrees / 2 / 400);
  EXPECT_NEAR(sum / 400, degrees * kt / 2, 3 * error);
}

TEST(nanodroplet_chain, stays_where_it_is_when_it_rejects) {
  auto const start = make_droplet({8, true, 0});
  auto const chain = finished_chain(start, {1000, 300, 1, 5});
  EXPECT_EQ(chain.state(), start);
  for (auto const& record : chain.records()) EXPECT_EQ(record.potential, chain.records().front().potential);
}

double max_error(droplet const& start, double time_step, std::uint32_t steps) {
  double most = 0;
  auto const chain = finished_chain(start, {time_step, 300, steps, 20});
  for (auto const& record : chain.records()) most = std::max(most, std::abs(record.energy_error));
  return most;
}

TEST(nanodroplet_chain, errs_less_in_the_energy_by_the_square_of_the_step) {
  auto const start = relaxed(8, true);
  double const long_steps = max_error(start, 0.4, 25), short_steps = max_error(start, 0.1, 100);
  EXPECT_LT(short_steps, 0.02);
  EXPECT_NEAR(long_steps / short_steps, 16, 8);
}

TEST(nanodroplet_chain, gives_the_same_records_for_the_same_seed_and_others_for_another) {
  auto const start = relaxed(8, true);
  sampling_settings const settings{0.5, 300, 5, 10};
  auto const first = finished_chain(start, settings, 5);
  EXPECT_EQ(first.records(), finished_chain(start, settings, 5).records());
  EXPECT_NE(first.records(), finished_chain(start, settings, 6).records());
  EXPECT_EQ(first.steps_done(), 50u);
}

TEST(nanodroplet_chain, refuses_a_start_whose_energy_is_no_number) {
  auto start = make_droplet({2, false, 0});
  start.water[3] = start.water[0];
  EXPECT_THROW(finished_chain(start, {}), error);
}

/// Mean and standard error over blocks of 50 trajectories, which are nearly independent.
struct estimate {
  double mean, error;
};
template <class Quantity>
estimate estimated(std::vector<trajectory_record> const& records, std::size_t discarded,
                   Quantity const& quantity) {
  constexpr std::size_t block = 50;
  std::vector<double> means;
  for (std::size_t first = discarded; first + block <= records.size(); first += block) {
    double sum = 0;
    for (std::size_t i = first; i < first + block; ++i) sum += quantity(records[i]);
    means.push_back(sum / double(block));
  }
  double const n = double(means.size()), mean = std::accumulate(means.begin(), means.end(), 0.0) / n;
  double squares = 0;
  for (double const m : means) squares += (m - mean) * (m - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

TEST(nanodroplet_chain, keeps_the_distribution_it_samples) {
  auto const chain = finished_chain(relaxed(8, false), {1.6, 300, 12, 6000});
  auto const& records = chain.records();
  auto const creutz = estimated(records, 500, [](auto const& r) { return std::exp(-r.energy_error / kt); });
  auto const rise = estimated(records, 500, [](auto const& r) { return r.energy_error / kt; });
  auto const accepted = estimated(records, 500, [](auto const& r) { return double(r.accepted); });
  EXPECT_NEAR(creutz.mean, 1, 4 * creutz.error);
  EXPECT_LT(creutz.error, 0.05);
  EXPECT_LT(accepted.mean, 0.95);
  EXPECT_NEAR(accepted.mean, std::erfc(std::sqrt(rise.mean) / 2), 0.03);
  auto const kinetic = estimated(records, 500, [](auto const& r) { return r.kinetic; });
  EXPECT_NEAR(kinetic.mean, 72 * kt / 2, 4 * kinetic.error);
}

/// The sum of the second derivatives of the energy, by differences of the forces.
double laplacian(droplet state) {
  constexpr double step = 1e-4;
  std::vector<vec3> forces(state.atoms());
  double sum = 0;
  for (std::size_t i = 0; i < state.water.size(); ++i) {
    for (double vec3::*const axis : {&vec3::x, &vec3::y, &vec3::z}) {
      double const from = state.water[i].*axis;
      for (double const side : {1.0, -1.0}) {
        state.water[i].*axis = from + side * step;
        forces_of(state, forces);
        sum -= side * forces[i].*axis / (2 * step);
      }
      state.water[i].*axis = from;
    }
  }
  return sum;
}

TEST(nanodroplet_chain, has_the_temperature_asked_for_in_its_positions_too) {
  auto const start = relaxed(4, false);
  auto chain = chain_from(start, {1.2, 300, 10, 20'000}, 3);
  double slopes = 0, curvatures = 0;
  chain.observe([&, seen = 0](trajectory_record const&, droplet const& state) mutable {
    if (++seen < 1000 || seen % 10 != 0) return;
    std::vector<vec3> forces(state.atoms());
    forces_of(state, forces);
    for (auto const& f : forces) slopes += dot(f, f);
    curvatures += laplacian(state);
  });
  while (!chain.is_done()) chain.advance();
  EXPECT_NEAR(slopes / curvatures / boltzmann, 300, 10);
}

TEST(nanodroplet_chain, gives_each_bond_of_a_lone_water_half_a_kt) {
  // A trajectory is a quarter of the bond's period, so that each one draws a new length.
  auto const chain = finished_chain(make_droplet({1, false, 0}), {0.8, 300, 3, 100'000});
  auto const bond = estimated(chain.records(), 500, [](auto const& r) { return r.potential.bond; });
  EXPECT_NEAR(bond.mean / 2, kt / 2, 0.03 * kt / 2);
  EXPECT_LT(bond.error / 2, 0.01 * kt / 2);
}

/// Neighbours that stretch a bond raise its energy above half a kT, but its length still varies nearly as its
/// spring alone requires: slightly more, since neighbours come and go.
TEST(nanodroplet_chain, lets_the_bonds_of_a_droplet_vary_as_their_springs_do) {
  auto const start = relaxed(8, false);
  auto chain = chain_from(start, {1.2, 300, 12, 4000}, 5);
  std::vector<double> sum(16), squares(16);
  double seen = 0, energy = 0;
  chain.observe([&](trajectory_record const& record, droplet const& state) {
    if (++seen <= 500) return;
    energy += record.potential.bond / 16;
    for (std::size_t b = 0; b < 16; ++b) {
      auto const* const molecule = &state.water[3 * (b / 2)];
      double const stretch = length(molecule[1 + b % 2] - molecule[0]) - tip3p::bond.rest;
      sum[b] += stretch, squares[b] += stretch * stretch;
    }
  });
  while (!chain.is_done()) chain.advance();
  double variance = 0;
  for (std::size_t b = 0; b < 16; ++b) variance += (squares[b] / 3500 - sum[b] / 3500 * sum[b] / 3500) / 16;
  EXPECT_NEAR(tip3p::bond.k * variance, kt / 2, 0.15 * kt / 2);
  EXPECT_GT(energy / 3500, 1.3 * kt / 2);
}

/// M7 without water, all of its torsions trans.
droplet const& m7_alone() {
  static droplet const start{{}, minima_in(80, false).front().beads};
  return start;
}
std::unique_ptr<chain_launcher> launcher_of_m7() {
  return std::make_unique<reference_launcher>(0, m12::chain_beads, 4);
}

TEST(nanodroplet_chain, that_stays_in_its_basin_rejects_what_ends_in_another_and_nothing_else) {
  sampling_settings const settings{4, 800, 20, 200};
  markov_chain free(m7_alone(), settings, 3, launcher_of_m7()),
      kept(m7_alone(), settings, 3, launcher_of_m7());
  kept.stay_in_basin();
  while (!free.is_done()) free.advance();
  while (!kept.is_done()) kept.advance();
  std::size_t same = 0;
  while (free.records()[same] == kept.records()[same]) ++same;
  auto const &there = free.records()[same], &here = kept.records()[same];
  EXPECT_NE(there.proposed_basin, 80u);
  EXPECT_TRUE(there.accepted);
  EXPECT_EQ(here.proposed_basin, there.proposed_basin);
  EXPECT_FALSE(here.accepted);
  for (auto const& record : kept.records()) EXPECT_EQ(basin_of(record.shape.torsions), 80u);
}

TEST(nanodroplet_chain, that_goes_on_later_does_what_it_would_have_done_at_once) {
  markov_chain whole(m7_alone(), {4, 800, 20, 30}, 3, launcher_of_m7()),
      parts(m7_alone(), {4, 800, 20, 7}, 3, launcher_of_m7());
  while (!whole.is_done()) whole.advance();
  for (std::uint32_t const until : {7u, 8u, 30u}) {
    parts.go_on_to(until);
    while (!parts.is_done()) parts.advance();
  }
  EXPECT_EQ(parts.records(), whole.records());
  EXPECT_EQ(parts.steps_done(), 600u);
}

}  // namespace
}  // namespace ballast::nanodroplet

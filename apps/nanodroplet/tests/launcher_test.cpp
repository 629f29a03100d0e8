// SPDX-License-Identifier: Apache-2.0
// The launchers: the kernels on each test device compared with the reference, and with themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "ballast/error.hpp"
#include "nanodroplet/droplet.hpp"
#include "nanodroplet/force_field.cuh"
#include "nanodroplet/kernels.hpp"
#include "nanodroplet/launchers.hpp"
#include "test_devices.hpp"

namespace ballast::nanodroplet {
namespace {

using test::test_devices;
using launcher = std::unique_ptr<chain_launcher>;
constexpr double time_step = 0.5;

chain_size size_of(droplet const& system) {
  return {system.waters(), static_cast<std::uint32_t>(system.beads.size()), time_step};
}
launcher reference_for(droplet const& system) {
  return std::make_unique<reference_launcher>(system.waters(), system.beads.size(), time_step);
}
launcher streams_for(droplet const& system, std::shared_ptr<compute_device> const& device) {
  return std::make_unique<stream_launcher>(device, size_of(system));
}

launcher queue_for(droplet const& system, std::shared_ptr<compute_device> const& device) {
  auto const queue = std::make_shared<launch_queue>(device_list{device}, droplet_kernels());
  return std::make_unique<queue_launcher>(queue, 0, device, size_of(system));
}

launcher graphs_for(droplet const& system, std::shared_ptr<compute_device> const& device) {
  return std::make_unique<graph_launcher>(device, size_of(system));
}

launcher batch_for(droplet const& system, std::shared_ptr<compute_device> const& device) {
  return std::make_unique<batch_launcher>(std::make_shared<chain_batch>(device, size_of(system), 1), 0);
}

void finish(chain_launcher& work) {
  auto const until = deadline::in(std::chrono::minutes(2));
  while (!work.is_finished()) {
    ASSERT_FALSE(until.passed());
    std::this_thread::yield();
  }
}

/// The output of a last step of a droplet that started at rest: velocities then stand for forces.
struct chain_output {
  std::vector<vec3> water, velocity, on_beads;
  std::array<double, block_result::terms> energy{};

  bool operator==(chain_output const&) const = default;
};

chain_output read(chain_launcher& work) {
  finish(work);
  auto const from = work.exchange();
  chain_output found{{from.water.begin(), from.water.end()},
                     {from.water_velocity.begin(), from.water_velocity.end()},
                     {from.on_beads.begin(), from.on_beads.end()},
                     {}};
  for (auto const& block : from.blocks)
    for (std::size_t term = 0; term < found.energy.size(); ++term) found.energy[term] += block.of[term];
  return found;
}

void load(chain_launcher& work, droplet const& system) {
  auto const to = work.exchange();
  std::ranges::copy(system.water, to.start.begin());
  std::ranges::copy(system.beads, to.beads.begin());
  work.load();
  work.step(true);
}

chain_output forces_by(chain_launcher& work, droplet const& system) {
  load(work, system);
  return read(work);
}

double greatest(std::vector<vec3> const& of) {
  double most = 0;
  for (auto const& v : of) most = std::max(most, length(v));
  return most;
}

void expect_near(std::vector<vec3> const& found, std::vector<vec3> const& known, double relative) {
  ASSERT_EQ(found.size(), known.size());
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) most = std::max(most, length(found[i] - known[i]));
  EXPECT_LE(most, relative * greatest(known));
}

void expect_same_forces(droplet const& system, std::shared_ptr<compute_device> const& device) {
  SCOPED_TRACE(device->name() + ", waters: " + std::to_string(system.waters()));
  auto const by_reference = reference_for(system), by_kernels = streams_for(system, device);
  auto const known = forces_by(*by_reference, system), found = forces_by(*by_kernels, system);
  EXPECT_EQ(found.water, known.water);
  expect_near(found.velocity, known.velocity, 1e-12);
  expect_near(found.on_beads, known.on_beads, 1e-12);
  for (std::size_t term = 0; term < known.energy.size(); ++term)
    EXPECT_NEAR(found.energy[term], known.energy[term], 1e-11 * std::max(1.0, std::abs(known.energy[term])));
}

TEST(nanodroplet_kernels, find_the_forces_and_energies_of_the_reference_for_every_division_into_blocks) {
  for (auto const& device : test_devices())
    for (std::uint32_t const waters : {1u, 8u, 44u, 45u, 46u, 91u, 360u, 361u, 420u})
      expect_same_forces(make_droplet({waters, true, 0}), device);
}

TEST(nanodroplet_kernels, find_the_forces_of_a_droplet_without_a_molecule) {
  for (auto const& device : test_devices()) expect_same_forces(make_droplet({50, false, 0}), device);
}

TEST(nanodroplet_kernels, give_the_same_bits_on_every_device_of_a_kind_and_every_time) {
  auto const system = make_droplet({100, true, 1});
  auto const known = forces_by(*streams_for(system, test_devices().front()), system);
  for (auto const& device : test_devices()) {
    if (device->is_cuda() != test_devices().front()->is_cuda()) continue;
    auto const work = streams_for(system, device);
    for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(forces_by(*work, system), known);
  }
}

/// n steps of a trajectory, with the beads held in place.
void run_trajectory(chain_launcher& work, bool keeps, int steps) {
  work.begin_trajectory(keeps);
  for (int s = 1; s <= steps; ++s) {
    work.step(s == steps);
    finish(work);
  }
}

std::vector<vec3> some_velocities(std::size_t count) {
  std::vector<vec3> velocity;
  for (std::size_t i = 0; i < count; ++i) {
    double const n = double(i);
    velocity.push_back({0.01 * std::sin(n), 0.01 * std::sin(2 * n + 1), 0.01 * std::sin(3 * n + 2)});
  }
  return velocity;
}

std::vector<launcher> launchers_for(droplet const& system) {
  std::vector<launcher> all;
  all.push_back(reference_for(system));
  for (auto const& device : test_devices()) {
    all.push_back(streams_for(system, device));
    all.push_back(queue_for(system, device));
    all.push_back(batch_for(system, device));
    if (device->is_cuda()) all.push_back(graphs_for(system, device));
  }
  return all;
}

/// Loads the droplet; the next trajectory begins with these velocities.
void load_with(chain_launcher& work, droplet const& system, std::vector<vec3> const& velocities) {
  load(work, system);
  finish(work);
  auto const io = work.exchange();
  std::ranges::copy(velocities, io.velocity.begin());
}

TEST(nanodroplet_launchers, come_back_when_velocities_are_turned_round) {
  auto const system = make_droplet({27, true, 0});
  auto const drawn = some_velocities(system.water.size());
  for (auto const& work : launchers_for(system)) {
    load_with(*work, system, drawn);
    auto const io = work->exchange();
    run_trajectory(*work, true, 20);
    EXPECT_GT(length(io.water[0] - system.water[0]), 1e-3);
    for (std::size_t i = 0; i < drawn.size(); ++i) io.velocity[i] = -1 * io.water_velocity[i];
    run_trajectory(*work, true, 20);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      EXPECT_LT(length(io.water[i] - system.water[i]), 1e-9);
      EXPECT_LT(length(io.water_velocity[i] + drawn[i]), 1e-9);
    }
  }
}

TEST(nanodroplet_launchers, go_back_to_the_kept_state_with_its_forces) {
  auto const system = make_droplet({27, true, 0});
  auto const drawn = some_velocities(system.water.size());
  for (auto const& work : launchers_for(system)) {
    load_with(*work, system, drawn);
    run_trajectory(*work, true, 5);
    auto const first = read(*work);
    run_trajectory(*work, false, 5);
    EXPECT_EQ(read(*work), first);
    run_trajectory(*work, true, 5);
    EXPECT_NE(read(*work), first);
  }
}

TEST(nanodroplet_launchers, move_the_water_alike) {
  auto const system = make_droplet({60, true, 0});
  auto const drawn = some_velocities(system.water.size());
  std::vector<chain_output> ends;
  for (auto const& work : launchers_for(system)) {
    load_with(*work, system, drawn);
    run_trajectory(*work, true, 20);
    ends.push_back(read(*work));
    expect_near(ends.back().water, ends.front().water, 1e-11);
    expect_near(ends.back().velocity, ends.front().velocity, 1e-9);
  }
  EXPECT_GE(ends.size(), 1 + 3 * test_devices().size());
}

/// Two chains of one batch, the second with its molecule turned.
struct batch_of_two {
  explicit batch_of_two(std::shared_ptr<compute_device> const& device) {
    auto const batch = std::make_shared<chain_batch>(device, size_of(systems[0]), 2);
    for (std::size_t chain : {0u, 1u}) chains.push_back(std::make_unique<batch_launcher>(batch, chain));
  }

  std::vector<droplet> systems{make_droplet({100, true, 0}), make_droplet({100, true, 1})};
  std::vector<launcher> chains;
};

TEST(nanodroplet_batch, launches_a_step_once_every_chain_has_submitted_it) {
  for (auto const& device : test_devices()) {
    batch_of_two const both(device);
    load(*both.chains[0], both.systems[0]);
    for (int looks = 0; looks < 1000; ++looks) ASSERT_FALSE(both.chains[0]->is_finished());
    load(*both.chains[1], both.systems[1]);
    for (std::size_t chain : {0u, 1u}) {
      auto const alone = streams_for(both.systems[chain], device);
      EXPECT_EQ(read(*both.chains[chain]), forces_by(*alone, both.systems[chain]));
    }
  }
}

/// Three trajectories of one step; the first chain returns to its start each time, the second never.
void run_trajectories(std::vector<launcher> const& chains, std::vector<droplet> const& systems) {
  for (std::size_t chain : {0u, 1u}) load(*chains[chain], systems[chain]);
  for (int trajectory = 0; trajectory < 3; ++trajectory) {
    for (auto const& chain : chains) finish(*chain);
    for (std::size_t chain : {0u, 1u}) {
      auto const drawn = some_velocities(systems[chain].water.size());
      std::ranges::copy(drawn, chains[chain]->exchange().velocity.begin());
      chains[chain]->begin_trajectory(trajectory == 0 || chain == 1);
      chains[chain]->step(true);
    }
  }
}

TEST(nanodroplet_batch, begins_each_trajectory_from_what_that_chain_keeps) {
  for (auto const& device : test_devices()) {
    batch_of_two const both(device);
    std::vector<launcher> alone;
    for (auto const& system : both.systems) alone.push_back(streams_for(system, device));
    run_trajectories(both.chains, both.systems);
    run_trajectories(alone, both.systems);
    for (std::size_t chain : {0u, 1u}) EXPECT_EQ(read(*both.chains[chain]), read(*alone[chain]));
  }
}

TEST(nanodroplet_batch, refuses_a_chain_that_is_not_where_the_others_are) {
  for (auto const& device : test_devices()) {
    batch_of_two const both(device);
    load(*both.chains[0], both.systems[0]);
    EXPECT_THROW(both.chains[1]->step(true), error);
    both.chains[1]->load();
    EXPECT_THROW(both.chains[1]->step(false), error);
  }
}

}  // namespace
}  // namespace ballast::nanodroplet

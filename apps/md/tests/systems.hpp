// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "md/atoms.hpp"
#include "md/comparison.hpp"
#include "md/gaussian_system.hpp"
#include "md/job_system.hpp"
#include "splitmix.hpp"

namespace ballast::md {

/// Helium on a randomly displaced lattice with `side` sites per side, given by formula, which fills its box.
inline atoms shaken_lattice(int side) {
  atoms all;
  all.type_name = {"He"};
  all.parameters = helium_parameters;
  for (int id = 1; id <= side * side * side; ++id) {
    int const i = (id - 1) % side, j = (id - 1) / side % side, k = (id - 1) / (side * side);
    vec3 const at{3.2 * i + 0.3 * std::sin(1.1 * id), 3.2 * j + 0.3 * std::sin(2.3 * id),
                  3.2 * k + 0.3 * std::sin(3.7 * id)};
    add_atom(all, id, 0, at, {}, (i + j + k) % 2 == 0 ? 0.02 : -0.02, helium_mass);
  }
  double const high = 3.2 * side - 1;
  all.box = {{-1, -1, -1}, {high, high, high}};
  return all;
}

/// S64, whose energies are known from LAMMPS.
inline atoms s64() {
  auto all = shaken_lattice(4);
  all.box = {{-1, -1, -1}, {12, 12, 12}};
  return all;
}

/// The order of `count` atoms reversed.
inline std::vector<std::uint32_t> reversed_order(std::uint32_t count) {
  std::vector<std::uint32_t> order;
  while (count > 0) order.push_back(--count);
  return order;
}

/// Atoms scattered evenly over a box, some pairs very near: for comparing neighbour searches, not forces.
inline atoms scattered(std::size_t count, vec3 side, std::uint64_t seed) {
  atoms all;
  all.type_name = {"He"};
  all.parameters = helium_parameters;
  all.box = {{-1.5, 2.0, 0.25}, {-1.5 + side.x, 2.0 + side.y, 0.25 + side.z}};
  for (std::size_t i = 0; i < count; ++i) {
    auto const u = [&](unsigned n) { return splitmix::uniform(splitmix::mix(seed) ^ (4 * i + n)); };
    vec3 const at{-1.5 + side.x * u(0), 2.0 + side.y * u(1), 0.25 + side.z * u(2)};
    add_atom(all, static_cast<std::int64_t>(i + 1), 0, at, {}, i % 2 == 0 ? 0.02 : -0.02, helium_mass);
  }
  return all;
}

/// The self-energy in LAMMPS' coul/dsf for a force-shifted Coulomb energy: a constant that depends only on
/// the charges.
inline double self_energy(atoms const& all, double cutoff) {
  double squares = 0;
  for (double const q : all.charge) squares += q * q;
  return -coulomb * squares / cutoff;
}

/// Compares all sums but that of the forces.
inline void expect_sums(totals const& found, totals const& known, double tolerance) {
  EXPECT_EQ(found.pairs, known.pairs);
  EXPECT_NEAR(found.energy_lj, known.energy_lj, tolerance);
  EXPECT_NEAR(found.energy_coulomb, known.energy_coulomb, tolerance);
  EXPECT_NEAR(found.force_square_sum, known.force_square_sum, tolerance);
}

inline void expect_no_drift(atoms const& all, double tolerance) {
  auto const p = momentum(all);
  for (double const component : {p.x, p.y, p.z}) EXPECT_NEAR(component, 0, tolerance);
}

inline physics shifted(double cutoff, bool single = false) {
  physics what;
  what.field = {helium_parameters, cutoff, potential::force_shifted, boundary::open};
  what.single_precision = single;
  return what;
}

inline beginning warm(std::size_t count, double kelvin) {
  beginning from{gaussian_system(count), 0, std::nullopt};
  draw_velocities(from.state, kelvin, 7);
  return from;
}

inline comparison_plan plan_of(std::size_t count, std::int64_t steps) {
  comparison_plan plan;
  plan.what = shifted(10);
  plan.from = warm(count, 100);
  plan.steps = steps;
  return plan;
}

/// A system and its runner.
struct moved_system {
  moved_system(solution which, device_list const& devices, physics const& what, std::size_t count,
               granularity const& cut = {}, job_options const& jobs = {}) {
    if (which == solution::jobs) {
      auto made = make_job_system(devices, what, count, jobs);
      system = made.get();
      by = std::move(made);
      return;
    }
    on_stage = make_stage(devices, what, count, 1);
    system = on_stage.get();
    by = make_runner(which, devices, *on_stage, cut, false);
  }

  std::unique_ptr<stage> on_stage;  ///< null for jobs
  std::unique_ptr<runner> by;
  particle_system* system;
};

}  // namespace ballast::md

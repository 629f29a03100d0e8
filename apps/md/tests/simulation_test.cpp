// SPDX-License-Identifier: Apache-2.0
#include "md/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "complaint.hpp"
#include "folder_test.hpp"
#include "md/comparison.hpp"
#include "md/trajectory.hpp"
#include "sanitized.hpp"
#include "systems.hpp"
#include "test_devices.hpp"

namespace ballast::md {
namespace {

using test::complaint;
using test::of_one_kind;
using test::scratch_folder;
using test::test_devices;

/// A run of one solution with all its parts.
struct whole_run {
  whole_run(solution which, physics const& what, beginning const& from)
      : moved(which, test_devices(), what, from.state.size()),
        system(moved.system),
        run(*system, *moved.by, what, from) {}
  /// Leaves the devices afterwards, so that another run may use them.
  void steps(int count) {
    for (int i = 0; i < count; ++i) run.step();
    moved.by->leave();
  }
  double energy() {
    auto const sums = system->sums();
    return sums.energy_lj + sums.energy_coulomb + kinetic_energy(system->state());
  }

  moved_system moved;
  particle_system* system;
  simulation run;
};

TEST(md_simulation, conserves_energy_and_momentum_with_force_shifted_potentials) {
  whole_run all(solution::tq, shifted(12), warm(500, 5));
  double const before = all.energy();
  int const steps = test::sanitized ? 50 : 400;
  all.steps(steps);
  double const picoseconds = steps * 0.002;
  EXPECT_LT(std::abs(all.energy() - before) / 500 / picoseconds, 1e-6 * 5);
  expect_no_drift(all.system->state(), 1e-13);
}

TEST(md_simulation, starts_from_the_published_energy_and_hardly_leaves_it) {
  whole_run all(solution::s1, shifted(12), {gaussian_system(4096), 0, std::nullopt});
  double const self = -coulomb * 4096 * 0.0004 / 12;  // a term that only LAMMPS adds
  EXPECT_NEAR(all.energy() + self, -131.645427616, 1e-7);
  all.steps(test::sanitized ? 2 : 20);
  EXPECT_NEAR(all.energy() + self, -131.645427616, 1e-3);
}

TEST(md_simulation, runs_back_to_where_it_came_from_when_velocities_are_turned_around) {
  auto const from = warm(200, 20);
  whole_run there(solution::s1, shifted(8), from);
  there.steps(50);
  beginning turned{there.system->state(), 50, std::nullopt};
  for (auto& v : turned.state.velocity) v = {-v.x, -v.y, -v.z};
  whole_run back(solution::s1, shifted(8), turned);
  back.steps(50);
  auto const end = back.system->state();
  std::vector<vec3> by_id(200);
  for (std::size_t i = 0; i < 200; ++i) by_id[std::size_t(end.id[i] - 1)] = end.position[i];
  for (std::size_t i = 0; i < 200; ++i) EXPECT_NEAR(by_id[i].x, from.state.position[i].x, 1e-9);
}

TEST(md_simulation, is_the_same_run_bit_for_bit_whatever_the_solution) {
  if (!of_one_kind(test_devices())) GTEST_SKIP() << "CPU cores and GPUs round differently";
  auto const what = shifted(10, true);
  auto const from = warm(600, 100);
  whole_run expected(solution::s1, what, from);
  expected.steps(30);
  EXPECT_GT(expected.run.rebuilds(), 0);
  for (auto const which : {solution::s3, solution::tq, solution::chen, solution::jobs}) {
    whole_run other(which, what, from);
    other.steps(30);
    EXPECT_EQ(other.run.point(), expected.run.point()) << name_of(which);
  }
}

TEST(md_simulation, restarted_from_a_checkpoint_is_the_unbroken_run_bit_for_bit) {
  if (!of_one_kind(test_devices())) GTEST_SKIP() << "CPU cores and GPUs round differently";
  scratch_folder folder;
  for (auto const edges : {boundary::open, boundary::periodic}) {
    auto what = shifted(8);
    what.field.edges = edges;
    auto const from = warm(500, 300);
    whole_run unbroken(solution::tq, what, from);
    unbroken.steps(37);
    auto const half = unbroken.run.point();
    EXPECT_GT(unbroken.run.rebuilds(), 0);
    EXPECT_NE(half.rebuilt_at, half.state.position);  // so that the choice of cells matters
    write_checkpoint(folder.file("half"), half);
    unbroken.steps(40);

    auto const read = read_checkpoint(folder.file("half"));
    for (auto const which : {solution::s3, solution::jobs}) {
      whole_run continued(which, what, beginning_of(read));
      continued.steps(40);
      EXPECT_EQ(continued.run.point(), unbroken.run.point()) << name_of(which);
      EXPECT_EQ(continued.run.step_count(), 77);
    }
  }
}

TEST(md_simulation, follows_atoms_through_the_sides_of_a_periodic_box) {
  auto what = shifted(6);
  what.field.edges = boundary::periodic;
  beginning from{{}, 0, std::nullopt};
  from.state.type_name = {"He"};
  from.state.box = {{0, 0, 0}, {13, 13, 13}};
  add_atom(from.state, 1, 0, {12.9, 6, 6}, {0.05, 0, 0}, 0, helium_mass);
  add_atom(from.state, 2, 0, {6, 1, 1}, {0, -0.05, 0}, 0, helium_mass);
  whole_run all(solution::tq, what, from);
  all.steps(30);  // 3 Angstrom
  auto const point = all.run.point();
  EXPECT_GT(all.run.rebuilds(), 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(point.rebuilt_at[i].x >= 0 && point.rebuilt_at[i].x < 13);
    EXPECT_TRUE(point.rebuilt_at[i].y >= 0 && point.rebuilt_at[i].y < 13);
  }
}

TEST(md_simulation, says_at_which_step_it_blew_up) {
  auto what = shifted(8);
  what.time_step = 1e12;
  whole_run all(solution::s1, what, warm(100, 300));
  EXPECT_THAT(complaint([&] { all.steps(5); }), testing::HasSubstr("time step is too long"));
}

using test::content_of;

using md_run_files = test::folder_test;

TEST_F(md_run_files, are_a_trajectory_and_a_checkpoint_that_agree) {
  auto plan = plan_of(200, 10);
  plan.solutions = {solution::tq};
  plan.files = {folder.file("c"), folder.file("t.xyz"), 4, 4};
  compare_solutions(test_devices(), plan);
  auto const frames = read_frames(folder.file("t.xyz"));
  ASSERT_EQ(frames.size(), 4u);  // steps 0, 4, 8 and 10
  EXPECT_EQ(frames[2].step, 8);
  EXPECT_EQ(frames.back().step, 10);
  auto const point = read_checkpoint(folder.file("c"));
  EXPECT_EQ(point.step, 10);
  for (std::size_t i = 0; i < 200; ++i) {
    auto const id = std::size_t(point.state.id[i] - 1);
    EXPECT_EQ(frames.back().state.position[id], point.state.position[i]);
    EXPECT_EQ(frames.back().state.velocity[id], point.state.velocity[i]);
  }
}

/// Two atoms that do not interact until, after one step, they are at the same place.
beginning colliding() {
  beginning from;
  from.state.type_name = {"He"};
  from.state.box = {{-10, -10, -10}, {10, 10, 10}};
  add_atom(from.state, 1, 0, {-2, 0, 0}, {2, 0, 0}, 0, helium_mass);
  add_atom(from.state, 2, 0, {2, 0, 0}, {-2, 0, 0}, 0, helium_mass);
  return from;
}

TEST_F(md_run_files, are_left_alone_by_a_step_whose_sums_are_not_finite) {
  comparison_plan plan;
  plan.what.field.parameters.epsilon = 0;
  plan.what.time_step = 1;
  plan.from = colliding();
  plan.steps = 5;
  plan.solutions = {solution::tq};
  plan.files = {folder.file("c", "precious"), folder.file("t.xyz"), 1, 1};
  EXPECT_THAT(complaint([&] { compare_solutions(test_devices(), plan); }), testing::HasSubstr("too near"));
  EXPECT_EQ(content_of(folder.file("c")), "precious");
  auto const frames = read_frames(folder.file("t.xyz"));
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].step, 0);
}

TEST_F(md_run_files, are_left_alone_by_a_run_that_is_stopped_before_its_first_step) {
  for (std::int64_t const steps : {0, 1000}) {
    auto plan = plan_of(200, steps);
    plan.solutions = {solution::s1, solution::tq};
    plan.files = {folder.file("c", "precious"), folder.file("t.xyz"), 1, 1};
    comparison_observer observer;
    observer.began = [](solution which, int) {
      if (which == solution::tq) request_stop();
    };
    auto const result = compare_solutions(test_devices(), plan, observer);
    clear_stop();
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.steps, 0);
    EXPECT_EQ(result.solutions.size(), 1u);
    EXPECT_EQ(content_of(folder.file("c")), "precious");
    EXPECT_EQ(folder.files(), 1u);
  }
}

}  // namespace
}  // namespace ballast::md

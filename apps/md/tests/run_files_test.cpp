// SPDX-License-Identifier: Apache-2.0
#include "md/run_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "complaint.hpp"
#include "md/interruption.hpp"
#include "md/trajectory.hpp"
#include "scratch_folder.hpp"
#include "test_devices.hpp"
#include "warm_runs.hpp"

namespace ballast::md {
namespace {

using test::complaint;
using test::content_of;
using test::scratch_folder;

TEST(md_run_files, are_a_trajectory_and_a_checkpoint_that_agree) {
  scratch_folder folder;
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

/// Two atoms that feel nothing until, after one step, they are at the same place.
beginning colliding() {
  beginning from;
  from.state.type_name = {"He"};
  from.state.box = {{-10, -10, -10}, {10, 10, 10}};
  add_atom(from.state, 1, 0, {-2, 0, 0}, {2, 0, 0}, 0, helium_mass);
  add_atom(from.state, 2, 0, {2, 0, 0}, {-2, 0, 0}, 0, helium_mass);
  return from;
}

TEST(md_run_files, are_left_alone_by_a_step_whose_sums_are_not_finite) {
  scratch_folder folder;
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

TEST(md_run_files, are_left_alone_by_a_run_that_is_stopped_before_its_first_step) {
  scratch_folder folder;
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

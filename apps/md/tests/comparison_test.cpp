// SPDX-License-Identifier: Apache-2.0
#include "md/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ballast/error.hpp"
#include "complaint.hpp"
#include "scratch_folder.hpp"
#include "systems.hpp"
#include "test_devices.hpp"

namespace ballast::md {
namespace {

using test::complaint;
using test::of_one_kind;
using test::scratch_folder;
using test::test_devices;

TEST(md_comparison, reports_every_solution_of_the_plan) {
  auto plan = plan_of(1000, 3);
  plan.repeat = 3;
  plan.solutions.push_back(solution::chen);
  plan.solutions.push_back(solution::jobs);
  auto const result = compare_solutions(test_devices(), plan);
  ASSERT_EQ(result.solutions.size(), 6u);
  EXPECT_EQ(result.steps, 3);
  EXPECT_EQ(result.solutions[0].speedup, 1.0);
  for (auto const& one : result.solutions) {
    EXPECT_GT(one.seconds_per_step, 0);
    EXPECT_EQ(one.busy_seconds.size(), test_devices().size());
    EXPECT_GE(one.imbalance, 1);
    EXPECT_LE(one.imbalance, static_cast<double>(test_devices().size()));
    for (double const busy : one.busy_seconds) EXPECT_LE(busy, one.times.forces * 1.01);
  }
  EXPECT_LT(result.largest_difference, of_one_kind(test_devices()) ? 1e-12 : 1e-6);
  EXPECT_TRUE(result.identical || !of_one_kind(test_devices()));
}

TEST(md_comparison, times_one_evaluation_when_there_are_no_steps) {
  auto const result = compare_solutions(test_devices(), plan_of(500, 0));
  EXPECT_EQ(result.steps, 0);
  EXPECT_GT(result.solutions[0].seconds_per_step, 0);
  EXPECT_GT(result.sums.pairs, 0);
}

TEST(md_comparison, records_spans_of_every_solution_on_every_device) {
  auto plan = plan_of(2000, 2);
  plan.solutions.push_back(solution::chen);
  plan.solutions.push_back(solution::jobs);
  std::vector<std::string> names;
  for (auto const& device : test_devices()) names.push_back(device->name());
  recorder all(names);
  plan.spans = &all;
  compare_solutions(test_devices(), plan);
  auto const spans = all.snapshot();
  for (auto const* label :
       {"S1 forces", "S2 forces", "S3 forces", "TQ forces", "chen forces", "jobs forces", "drift", "kick"}) {
    EXPECT_TRUE(std::ranges::any_of(spans.spans, [&](auto const& one) { return one.label == label; }))
        << label;
  }
  for (auto const& one : spans.spans) EXPECT_LE(one.begin_ns, one.end_ns);
}

TEST(md_comparison, moves_atoms_by_one_task_for_each_core) {
  auto const devices = open_devices("host:1,host:1");
  auto plan = plan_of(8192, 1);
  plan.solutions = {solution::tq};
  recorder all({devices[0]->name(), devices[1]->name()});
  plan.spans = &all;
  compare_solutions(devices, plan);
  auto const spans = all.snapshot().spans;
  for (auto const* label : {"drift", "kick"})
    EXPECT_EQ(std::ranges::count(spans, label, &span::label), 2) << label;
}

TEST(md_comparison, ends_after_the_present_step_when_asked_to) {
  scratch_folder folder;
  auto plan = plan_of(200, 1000);
  plan.solutions = {solution::tq};
  plan.files.checkpoint = folder.file("c");
  comparison_observer observer;
  observer.stepped = [](std::int64_t done, std::int64_t) {
    if (done == 3) request_stop();
  };
  auto const result = compare_solutions(test_devices(), plan, observer);
  clear_stop();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.steps, 3);
  EXPECT_EQ(read_checkpoint(folder.file("c")).step, 3);
}

TEST(md_comparison, reports_no_solution_when_it_is_stopped_before_the_first_step) {
  request_stop();
  auto const result = compare_solutions(test_devices(), plan_of(200, 1000));
  clear_stop();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.steps, 0);
  EXPECT_TRUE(result.solutions.empty());
}

TEST(md_comparison, refuses_plans_that_make_no_sense) {
  using testing::HasSubstr;
  auto const refusal = [](auto const& corrupt) {
    auto plan = plan_of(100, 1);
    corrupt(plan);
    return complaint([&] { compare_solutions(test_devices(), plan); });
  };
  EXPECT_THAT(refusal([](auto& p) { p.steps = -1; }), HasSubstr("steps is -1"));
  EXPECT_THAT(refusal([](auto& p) { p.repeat = 0; }), HasSubstr("repeat is 0"));
  EXPECT_THAT(refusal([](auto& p) { p.solutions.clear(); }), HasSubstr("solutions"));
  EXPECT_THAT(refusal([](auto& p) { p.what.time_step = 0; }), HasSubstr("dt is 0"));
  EXPECT_THAT(refusal([](auto& p) { p.what.skin = -1; }), HasSubstr("skin is -1"));
  EXPECT_THAT(refusal([](auto& p) { p.what.field.cutoff = 0; }), HasSubstr("cutoff is 0"));
  EXPECT_THAT(refusal([](auto& p) { p.from.state = {}; }), HasSubstr("at least 1"));
  EXPECT_THROW(compare_solutions({}, plan_of(10, 0)), bad_argument);
}

}  // namespace
}  // namespace ballast::md

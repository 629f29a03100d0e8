// SPDX-License-Identifier: Apache-2.0
// Jobs that name the device that runs them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "adopted_fixture.hpp"
#include "invented_plan.hpp"
#include "job_fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(jobs_that_name_a_device, leave_the_other_to_later_jobs_while_theirs_is_busy) {
  two_device_jobs all;
  constexpr auto size = two_device_jobs::size;
  gate const closed(all.devices);
  words from(*all.jobs, {size}), elsewhere(*all.jobs, {size});
  fill_with(from, 3);
  fill_with(elsewhere, 0);
  std::deque<words> copies;
  std::vector<completion> behind;
  auto const ref = closed.ref();
  for (int i = 0; i < 12; ++i) {
    auto& to = copies.emplace_back(words(*all.jobs, {size}));
    behind.push_back(
        all.jobs->submit({.grid = {size}, .device = 0}, reads(from), writes(to), [ref](auto one, auto other) {
          return copy_behind_gate{ref, one, other};
        }));
  }
  closed.await_arrival();
  all.jobs
      ->submit({.grid = {size}, .device = 1}, updates(elsewhere), [](auto any) { return count_visits{any}; })
      .wait();
  EXPECT_FALSE(behind.front().ready());
  closed.open();
  for (auto const& one : behind) one.wait();
  for (auto const& to : copies) EXPECT_EQ(values_of(to), std::vector<std::uint32_t>(size, 3));
  EXPECT_EQ(values_of(elsewhere), std::vector<std::uint32_t>(size, 1));
}

TEST(jobs_that_name_a_device, are_refused_alone_and_not_in_a_sequence_that_ignores_it) {
  two_device_jobs all;
  words visits(*all.jobs, {two_device_jobs::size});
  fill_with(visits, 0);
  job_setup const beyond{.grid = {two_device_jobs::size}, .device = 2};
  auto const count = [](auto any) { return count_visits{any}; };
  EXPECT_EQ(refused_argument([&] { all.jobs->submit(beyond, updates(visits), count); }), "device");
  job_sequence steps(*all.jobs);
  steps.add(beyond, updates(visits), count);
  all.jobs->submit(steps, 2).wait();
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(two_device_jobs::size, 2));
}

/// Jobs on two invented devices, of which the second is the faster one. Each job has an array of its own.
struct named_devices : testing::Test {
  std::shared_ptr<job_record> submit_on(std::optional<std::uint32_t> device) {
    return plan.submit({.grid = 1, .device = device}, {all_of(plan.array(64), argument_mode::writes)});
  }
  std::deque<std::shared_ptr<job_record>> submit_on_first(std::size_t jobs) {
    std::deque<std::shared_ptr<job_record>> all;
    while (all.size() < jobs) all.push_back(submit_on(0));
    return all;
  }

  invented_plan plan{{{1000}, {1}}, {.policy = "static", .in_flight = 2}};
};

TEST_F(named_devices, have_few_jobs_that_have_begun_though_many_wait) {
  auto const jobs = submit_on_first(4);
  EXPECT_NE(jobs[1]->split, nullptr);
  EXPECT_EQ(jobs[2]->split, nullptr) << "its policy would not know what earlier jobs have shown";
  plan.end_next();
  EXPECT_NE(jobs[2]->split, nullptr);
  EXPECT_EQ(jobs[3]->split, nullptr);
  plan.end_all();
  EXPECT_TRUE(has_ended(*jobs[3]));
}

TEST_F(named_devices, hide_no_later_job_behind_those_that_wait_for_one_of_them) {
  auto const jobs = submit_on_first(2 + 256);
  auto const other = submit_on(1), any = submit_on({});
  EXPECT_NE(other->split, nullptr);
  EXPECT_NE(any->split, nullptr);
  plan.end_next();
  EXPECT_TRUE(has_ended(*other)) << "its completion waits until older jobs have begun";
  EXPECT_FALSE(has_ended(*jobs.front()));
  plan.end_all();
  for (auto const& job : jobs) EXPECT_TRUE(has_ended(*job));
  EXPECT_TRUE(has_ended(*any));
}

TEST_F(named_devices, run_what_waits_behind_more_jobs_than_are_passed_over_later) {
  auto const jobs = submit_on_first(600);
  auto const other = submit_on(1);
  EXPECT_EQ(other->split, nullptr);
  plan.end_all();
  EXPECT_TRUE(has_ended(*other));
  for (auto const& job : jobs) EXPECT_TRUE(has_ended(*job));
}

TEST_F(named_devices, fail_the_jobs_that_name_them_once_they_are_lost_and_no_others) {
  auto const jobs = submit_on_first(40);
  auto const other = submit_on(1);
  plan.end_next();
  EXPECT_EQ(failure_text(*other), "");
  plan.end_next(std::make_exception_ptr(device_lost("gpu 0", "an invented loss")));
  EXPECT_THAT(failure_text(*jobs.front()), testing::HasSubstr("an invented loss"));
  while (plan.end_next(std::make_exception_ptr(device_lost("gpu 0", "an invented loss")))) {}
  for (std::size_t i = 2; i < jobs.size(); ++i)
    EXPECT_THAT(failure_text(*jobs[i]), testing::HasSubstr("gpu 0, which it names, is lost"));
  EXPECT_THAT(failure_text(*submit_on(0)), testing::HasSubstr("gpu 0, which it names, is lost"));
  auto const next = submit_on(1);
  plan.end_all();
  EXPECT_EQ(failure_text(*next), "");
}

}  // namespace
}  // namespace ballast::test

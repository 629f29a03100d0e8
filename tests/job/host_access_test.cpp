// SPDX-License-Identifier: Apache-2.0
#include "plan/host_access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "ballast/error.hpp"
#include "invented_plan.hpp"
#include "refused_argument.hpp"

namespace ballast::test::host_access_test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr index_range all_64{0, 64};

struct host_access_test : testing::Test {
  std::shared_ptr<job_record> submit(argument_mode mode) {
    return plan.submit({.grid = 1}, {all_of(array, mode)});
  }

  invented_plan plan{{planned_gpu{}}};
  std::shared_ptr<array_state> const array = plan.array(64, "values");
};

TEST_F(host_access_test, has_at_once_what_no_job_uses) {
  host_access access(plan.planner, array, host_use::update, all_64);
  EXPECT_TRUE(access.try_open());
  EXPECT_THAT(plan.lines, IsEmpty());
}

TEST_F(host_access_test, that_reads_waits_for_the_writer_and_then_for_the_copy) {
  submit(argument_mode::writes);
  host_access access(plan.planner, array, host_use::read, all_64);
  EXPECT_FALSE(access.try_open());
  EXPECT_THAT(plan.under_way(), ElementsAre("job 1, units 0 to 0, on 0", "64 bytes from 1 to 0"));
  plan.end_next();
  EXPECT_FALSE(access.try_open());
  plan.end_next();
  EXPECT_TRUE(access.try_open());
  EXPECT_EQ(plan.lines.size(), 2u) << "asked three times, it copies once";
}

TEST_F(host_access_test, that_writes_waits_for_who_copies_the_old_values_and_copies_none) {
  submit(argument_mode::reads);
  host_access access(plan.planner, array, host_use::write, all_64);
  EXPECT_FALSE(access.try_open());
  plan.end_next();  // the copy: the device has its own
  EXPECT_TRUE(access.try_open());
  EXPECT_THAT(plan.lines, ElementsAre("64 bytes from 0 to 1", "job 1, units 0 to 0, on 0"));
}

TEST_F(host_access_test, waits_for_its_turn_behind_tasks_that_are_to_be_planned) {
  invented_plan two({{}, {}}, {.policy = "master_worker", .tasks = 4, .in_flight = 1});
  auto const quarters = two.array(64);
  two.submit({.grid = 4}, {share_of(quarters, argument_mode::writes)});
  host_access access(two.planner, quarters, host_use::read, {48, 64});
  EXPECT_FALSE(access.try_open());
  two.end_next();
  EXPECT_FALSE(access.try_open());
  EXPECT_EQ(two.lines.back(), "job 1, units 2 to 2, on 0");
  two.end_next();
  EXPECT_FALSE(access.try_open());
  EXPECT_THAT(two.lines.back(), "16 bytes from 2 to 0") << "its writer was planned, so its turn has come";
  two.end_all();
  EXPECT_TRUE(access.try_open());
}

TEST_F(host_access_test, holds_up_the_jobs_behind_it_until_it_goes) {
  auto access = std::make_unique<host_access>(plan.planner, array, host_use::update, all_64);
  submit(argument_mode::updates);
  EXPECT_THAT(plan.lines, IsEmpty());
  ASSERT_TRUE(access->try_open());
  access->grant(true);
  access = nullptr;
  plan.planner.advance();
  EXPECT_THAT(plan.lines, ElementsAre("64 bytes from 0 to 1", "job 2, units 0 to 0, on 0"))
      << "the access was number 1";
}

TEST_F(host_access_test, that_was_given_up_has_changed_nothing) {
  submit(argument_mode::writes);
  { host_access access(plan.planner, array, host_use::write, all_64); }
  plan.end_all();
  EXPECT_THAT(array->directory.missing(host_place, {0, 64}), ElementsAre(byte_range{0, 64}));
}

TEST_F(host_access_test, to_all_elements_stays_open_as_long_as_no_turn_was_taken_since) {
  {
    host_access access(plan.planner, array, host_use::update, all_64);
    ASSERT_TRUE(access.try_open());
    access.grant(true);
  }
  EXPECT_TRUE(array->open.to_read);
  EXPECT_TRUE(array->open.to_update);
}

TEST_F(host_access_test, behind_which_a_job_waits_does_not_stay_open) {
  host_access access(plan.planner, array, host_use::read, all_64);
  submit(argument_mode::writes);
  ASSERT_TRUE(access.try_open());
  access.grant(true);
  EXPECT_FALSE(array->open.to_read);
}

TEST_F(host_access_test, that_reads_what_a_failed_job_was_to_write_fails_and_one_that_writes_does_not) {
  submit(argument_mode::writes);
  plan.end_next(std::make_exception_ptr(error("an invented failure")));
  {
    host_access reading(plan.planner, array, host_use::read, all_64);
    EXPECT_THROW(reading.try_open(), job_failed);
  }
  host_access writing(plan.planner, array, host_use::write, all_64);
  EXPECT_TRUE(writing.try_open());
}

TEST_F(host_access_test, that_reads_what_a_lost_device_had_fails) {
  submit(argument_mode::writes);
  plan.end_all();
  plan.submit({.grid = 1}, {all_of(plan.array(64), argument_mode::writes)});
  plan.end_next(std::make_exception_ptr(device_lost("gpu 0", "an invented loss")));
  host_access reading(plan.planner, array, host_use::read, all_64);
  EXPECT_THROW(reading.try_open(), error);
}

TEST_F(host_access_test, brings_nothing_home_once_the_scheduler_has_stopped) {
  submit(argument_mode::writes);
  plan.end_all();
  plan.planner.stop();
  host_access reading(plan.planner, array, host_use::read, all_64);
  EXPECT_THROW(reading.try_open(), error);
}

TEST_F(host_access_test, to_elements_beyond_the_array_is_refused) {
  EXPECT_EQ(refused_argument([&] { elements_of(*array, {0, 65}); }), "elements");
  EXPECT_EQ(elements_of(*array, every_element), all_64);
}

}  // namespace
}  // namespace ballast::test::host_access_test

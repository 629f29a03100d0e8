// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/resident/block_activities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "ballast/detail/resident/shown_task.cuh"
#include "ballast/device.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

/// Blocks of a kernel that does not run, whose words the test writes.
class activities_of_blocks : public testing::Test {
 protected:
  void set(std::uint32_t block, std::uint64_t number, activity what) {
    activities_.words()[std::size_t(block) * activity_stride_on_cores] = number << 2 | std::uint64_t(what);
  }
  std::string text(std::uint32_t blocks = 20) { return activities_.describe(blocks, "gone"); }
  void name_them(bool are_in_order) {
    activities_.name_tasks_by(
        {[](std::uint64_t number) { return "task " + std::to_string(number); }, are_in_order});
  }

  block_activities activities_{open_devices("host:1").front(), 20};
};

TEST_F(activities_of_blocks, are_counted_by_kind) {
  set(0, 7, activity::runs);
  set(1, 0, activity::waits);
  set(2, 3, activity::left);
  EXPECT_EQ(text(5),
            "2 blocks not started\n1 block waiting for a task\n1 block running a task\n1 block gone\n");
}

TEST_F(activities_of_blocks, tell_the_running_tasks_in_the_order_of_their_numbers) {
  name_them(true);
  set(0, 7, activity::runs);
  set(1, 3, activity::runs);
  EXPECT_THAT(text(2),
              HasSubstr("\noldest task: task 3, in resident block 1\ntask: task 7, in resident block 0\n"));
}

TEST_F(activities_of_blocks, call_no_task_the_oldest_before_it_was_seen_earlier_than_others) {
  name_them(false);
  set(0, 7, activity::runs);
  set(1, 3, activity::runs);
  EXPECT_THAT(text(2), Not(HasSubstr("oldest")));
  set(1, 4, activity::runs);
  EXPECT_THAT(text(2), HasSubstr("\noldest task: task 7, in resident block 0 for at least "));
}

TEST_F(activities_of_blocks, say_since_when_the_same_task_was_seen) {
  name_them(true);
  set(0, 7, activity::runs);
  EXPECT_THAT(text(1), Not(HasSubstr("for at least")));
  EXPECT_THAT(text(1), MatchesRegex("1 block running a task\noldest task: task 7, in resident block 0 for at "
                                    "least [0-9]+[.][0-9][0-9] s\n"));
  set(0, 8, activity::runs);
  EXPECT_THAT(text(1), Not(HasSubstr("for at least")));
  activities_.begin_run();
  EXPECT_THAT(text(1), Not(HasSubstr("for at least"))) << "another run's task of this number";
}

TEST_F(activities_of_blocks, tell_no_more_than_eight_tasks) {
  name_them(true);
  for (std::uint32_t block = 0; block < 20; ++block) set(block, 100 + block, activity::runs);
  EXPECT_THAT(text(), HasSubstr("20 blocks running a task\noldest task: task 100,"));
  EXPECT_THAT(text(), HasSubstr("\ntask: task 107,"));
  EXPECT_THAT(text(), Not(HasSubstr("task 108")));
}

TEST_F(activities_of_blocks, survive_a_name_that_cannot_be_read) {
  activities_.name_tasks_by({[](std::uint64_t) -> std::string { throw std::runtime_error("no way"); }});
  set(0, 7, activity::runs);
  EXPECT_THAT(text(1), HasSubstr("oldest task: it cannot be read: no way, in resident block 0"));
}

TEST_F(activities_of_blocks, have_the_sums_of_workers_that_run_of_those_that_left_and_of_no_earlier_launch) {
  task_record record{};
  std::uint64_t run = 5, created = 3;
  auto& line = activities_.words()[2 * activity_stride_on_cores];
  {
    shown_worker const shown(line, record, run, created);
    set(0, 7, activity::runs);
    set(2, 5, activity::waits);
    run = 6;
    auto const now = activities_.look_at_all(3);
    EXPECT_EQ(now.running, 1u);
    EXPECT_EQ(now.run, 6u) << "as many as the worker has counted, not as its word says";
    EXPECT_EQ(now.created, 3u);
    EXPECT_EQ(activities_.look_at_all(2).run, 0u) << "of fewer blocks";
  }
  run = created = 99;
  auto const left = activities_.look_at_all(3);
  EXPECT_EQ(left.run, 6u);
  EXPECT_EQ(left.created, 3u);
  activities_.clear_on_cores();
  auto const cleared = activities_.look_at_all(3);
  EXPECT_EQ(cleared.running, 0u);
  EXPECT_EQ(cleared.run, 0u);
  EXPECT_EQ(cleared.created, 0u);
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "chen_device.hpp"
#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// The steps of two devices, whose control threads are the test.
class chen_steps_of_two : public testing::Test {
 protected:
  void SetUp() override {
    steps_.open();
    steps_.begin();
  }
  void add_a_task() {
    task const one(add_one_plainly{}, {0, 1});
    pool_.add(std::make_shared<prepared_tasks const>(kernels(), std::span(&one, 1)));
    steps_.begin();
  }

  backlog pool_{2};
  chen_steps steps_{pool_, 2};
};

TEST_F(chen_steps_of_two, end_with_the_last_device_and_wake_who_waits) {
  steps_.device_done();
  EXPECT_TRUE(steps_.running());
  auto const epoch = steps_.to_waiters.epoch();
  steps_.device_done();
  EXPECT_FALSE(steps_.running());
  EXPECT_EQ(steps_.current(), 1u);
  EXPECT_GT(steps_.to_waiters.epoch(), epoch);
}

TEST_F(chen_steps_of_two, are_followed_by_one_for_the_tasks_that_came_too_late_for_them) {
  add_a_task();
  EXPECT_EQ(steps_.current(), 1u) << "the step was still running";
  steps_.device_done();
  EXPECT_EQ(steps_.current(), 1u);
  steps_.device_done();
  EXPECT_EQ(steps_.current(), 2u);
  EXPECT_TRUE(steps_.running());
}

}  // namespace
}  // namespace ballast::test

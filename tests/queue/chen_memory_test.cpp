// SPDX-License-Identifier: Apache-2.0
#include "chen_device.hpp"

#include <gmock/gmock.h>

#include "fixture.hpp"
#include "noting_device.hpp"

namespace ballast::test::chen_memory_test {
using namespace detail;
namespace {

using testing::ElementsAre;

// As the paper's host_write_fence() has it: who sees the count must see the tasks.
class chen_memory_on_a_noting_device : public testing::Test {
 protected:
  void SetUp() override { device_->notes().take(); }

  std::shared_ptr<noting_device> device_ = std::make_shared<noting_device>(first_device());
  chen_memory memory_{device_, chen_options{}};
  task_record const task_{};
};

TEST_F(chen_memory_on_a_noting_device, copies_the_count_of_tasks_when_it_has_found_their_copy_finished) {
  device_->notes().unreached_looks = 100;
  memory_.write(0, std::span(&task_, 1), deadline::in(std::chrono::minutes(2)));
  EXPECT_THAT(device_->notes().take(), ElementsAre("copies 64 bytes", "records an event",
                                                   "finds the event reached", "copies 8 bytes"));
  EXPECT_EQ(memory_.written(0), 1u);
}

TEST_F(chen_memory_on_a_noting_device, lets_no_block_have_tasks_whose_copy_outlasted_the_deadline) {
  device_->notes().unreached_looks = 1'000'000'000;
  EXPECT_THROW(memory_.write(0, std::span(&task_, 1), deadline::in(clock::duration(0))), timed_out);
  EXPECT_THAT(device_->notes().take(), ElementsAre("copies 64 bytes", "records an event"));
  EXPECT_EQ(memory_.written(0), 0u);
}

}  // namespace
}  // namespace ballast::test::chen_memory_test

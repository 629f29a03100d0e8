// SPDX-License-Identifier: Apache-2.0
#include "feeder.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Its thread looks now and then without being woken; the end of a queue shall not wait for that.
TEST(feeder, is_woken_by_whoever_tells_it_to_end) {
  backlog tasks(1);
  task_queue queue(first_device(), kernels(), test_options());
  balanced_options const options;
  feeder idle(tasks, queue, 0, 1, options);
  auto epoch = queue.wake_event().epoch();
  idle.finish();
  EXPECT_GT(queue.wake_event().epoch(), std::exchange(epoch, queue.wake_event().epoch())) << "finish()";
  idle.abandon();
  EXPECT_GT(queue.wake_event().epoch(), epoch) << "abandon()";
}

}  // namespace
}  // namespace ballast::test

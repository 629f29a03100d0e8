// SPDX-License-Identifier: Apache-2.0
#include "feeder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

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

std::shared_ptr<prepared_tasks const> prepared(std::vector<task> const& tasks) {
  return std::make_shared<prepared_tasks const>(kernels(), tasks);
}

balanced_options fixed_batches(std::uint32_t tasks) {
  balanced_options options;
  options.policy = "fixed";
  options.fixed_batch = tasks;
  return options;
}

// Of the batch one task is given back, and one was never taken.
TEST(feeder, whose_device_takes_nothing_any_more_ends_what_nobody_else_can_take) {
  backlog tasks(1);
  task_queue queue(first_device(), kernels(), test_options());
  auto const options = fixed_batches(1);
  feeder failing(tasks, queue, 0, 1, options);
  tasks.add(prepared(visits_of({}, 2)));
  queue.stop();
  failing.start();
  failing.join();
  EXPECT_NE(tasks.failure(), nullptr);
  EXPECT_TRUE(tasks.has_ended(0));
}

// The queue's one worker is held, so that there is no room in it for all the tasks that follow.
TEST(feeder, that_has_failed_waits_for_the_tasks_that_its_device_still_runs) {
  auto const device = open_devices("host:1").front();
  auto two_slots = test_options(*device);
  two_slots.capacity = 2;
  auto options = fixed_batches(16);
  options.queue.timeout = std::chrono::milliseconds(1);
  backlog tasks(1);
  task_queue queue(device, kernels(), two_slots);
  gate held(1);
  counted_words visits(device, 16);
  tasks.add(prepared({held.holder(0)}));
  tasks.add(prepared(visits_of(visits.ref(), 16)));
  feeder failing(tasks, queue, 0, 1, options);
  failing.start();
  auto const until = deadline::in(std::chrono::minutes(1));
  while (tasks.failure() == nullptr && !until.passed()) std::this_thread::yield();
  auto const seen = tasks.changed().epoch();
  EXPECT_FALSE(tasks.changed().wait_past(seen, clock::now() + std::chrono::milliseconds(50)));
  EXPECT_FALSE(tasks.has_ended(0)) << "its task runs";
  held.open();
  failing.join();
  EXPECT_TRUE(tasks.finished(0));
}

}  // namespace
}  // namespace ballast::test

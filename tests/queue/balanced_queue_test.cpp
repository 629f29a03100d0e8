// SPDX-License-Identifier: Apache-2.0
#include "ballast/balanced_queue.hpp"

#include "ballast/detail/queue/feed_policy.hpp"
#include "fixture.hpp"
#include "names_of.hpp"
#include "sanitized.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Marks pinned memory: each block is the only one to touch its word, unless it runs twice.
std::vector<task> marks_of(shared_visits const& visits, std::uint32_t n) {
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i) tasks.emplace_back(add_one_plainly{visits.ref()}, block_range{i, 1});
  return tasks;
}

balanced_options with_policy(std::string policy) {
  auto options = balanced_by(std::move(policy));
  options.queue.times = true;
  return options;
}

class balanced_queue_with : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(feed_policies, balanced_queue_with, testing::ValuesIn(names_of(feed_policies())));

TEST_P(balanced_queue_with, executes_each_task_exactly_once_on_devices_of_unequal_speed) {
  std::uint32_t const n = 5'000;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), with_policy(GetParam()));
  auto const done = queue.submit(marks_of(visits, n));
  done.wait();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  std::uint64_t sum = 0;
  for (auto const& share : queue.shares(done)) sum += share.tasks;
  EXPECT_EQ(sum, n);
  queue.close();
}

TEST_P(balanced_queue_with, keeps_the_times_of_many_batches_where_a_device_has_records_of_few) {
  std::uint32_t const n = 2'000;
  shared_visits visits(n);
  auto options = with_policy(GetParam());
  options.queue.capacity = 2;
  balanced_queue queue(devices(), kernels(), options);
  queue.submit(marks_of(visits, n));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(balanced_queue, of_parts_times_the_tasks_by_which_it_cuts_the_next_batch) {
  std::uint32_t const n = 2'000;
  auto const cores = open_devices("host:1,host:1");
  shared_visits visits(cores.front(), n);
  auto options = with_policy("parts");
  options.queue.times = false;
  options.queue.resident.blocks = 0;
  balanced_queue queue(cores, kernels(), options);
  for (int step = 0; step < 3; ++step) {
    auto const done = queue.submit(marks_of(visits, n));
    done.wait();
    std::int64_t work_ns = 0;
    for (auto const& share : queue.shares(done)) work_ns += share.when.work_ns;
    EXPECT_GT(work_ns, 0);
  }
  queue.close();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, 3));
}

// A submission ring has records of 65536 batches at most. The others are over before the long task.
TEST(balanced_queue, keeps_the_times_of_a_long_task_when_its_lane_has_no_other_record_left) {
  if (sanitized) GTEST_SKIP() << "so many tasks take minutes";
  std::uint32_t const records = 1u << 16, n = records + 10;
  gate held(1);
  shared_visits visits(n);
  auto options = with_policy("fixed");
  options.fixed_batch = 1;
  options.queue.capacity = 2 * records;
  options.queue.submission_rings = 1;
  balanced_queue queue({first_device()}, kernels(), options);
  auto const done = queue.submit(std::vector{held.holder(0)});
  held.await_inside(1);
  auto const marks = marks_of(visits, n);
  queue.submit(std::span(marks).first(records - 1)).wait();
  queue.submit(std::span(marks).subspan(records - 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which its record must not be given away
  held.open();
  done.wait();
  EXPECT_GT(queue.shares(done)[0].when.work_ns, 0);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(balanced_queue, refuses_an_empty_device_list_and_an_unknown_policy) {
  EXPECT_THROW(balanced_queue({}, kernels()), bad_argument);
  EXPECT_THROW(balanced_queue(devices(), kernels(), with_policy("greedy")), bad_argument);
  balanced_queue queue(devices(), kernels(),
                       with_policy("rate"));  // the refusals left no resident kernel behind
  queue.close();
  EXPECT_THROW(queue.submit(task(add_one_plainly{}, {0, 1})), error);
}

TEST(balanced_queue, reports_the_time_between_first_begin_and_last_end_of_each_device) {
  std::uint32_t const n = 200;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), with_policy("rate"));
  auto const done = queue.submit(marks_of(visits, n));
  done.wait();
  for (auto const& share : queue.shares(done)) {
    EXPECT_GE(share.when.last_end_ns, share.when.first_begin_ns);
    EXPECT_TRUE(share.tasks == 0 || share.when.first_begin_ns > 0);
  }
  queue.forget(done);
  EXPECT_TRUE(done.ready());
  EXPECT_THROW(queue.shares(done), error);
  queue.close();
}

TEST(balanced_queue_beside_another_kernel, runs_each_task_exactly_once_with_the_workers_that_are_left) {
  auto const& device = *first_device();
  if (device.properties().multiprocessors < 2) GTEST_SKIP() << "needs two cores";
  std::uint32_t const n = 1'000;
  shared_visits visits(n);
  auto options = test_options();
  options.start_at_once = false;
  options.resident.blocks = device.is_cuda() ? 2 : 1;
  task_queue other(first_device(), kernels(), options);
  balanced_queue balanced({first_device()}, kernels(), balanced_options());
  auto const& queue = balanced.on(0);
  EXPECT_EQ(queue.workers_of_run(), queue.workers());
  balanced.close();
  other.start();
  balanced.start();
  EXPECT_LT(queue.workers_of_run(), queue.workers());
  balanced.submit(marks_of(visits, n)).wait();
  balanced.close();
  other.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

}  // namespace
}  // namespace ballast::test

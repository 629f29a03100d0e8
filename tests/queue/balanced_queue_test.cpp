// SPDX-License-Identifier: Apache-2.0
#include "ballast/queue/balanced_queue.hpp"

#include <thread>

#include "fixture.hpp"

namespace ballast::test {
namespace {

/// Words that every device of the list can add to: on GPUs each device gets words of its own, summed on
/// reading.
class shared_visits {
 public:
  explicit shared_visits(std::size_t size) : words_(devices().front(), size) {
    std::ranges::fill(words_.span(), 0u);
  }
  array_ref<std::uint32_t> ref() const { return array_ref<std::uint32_t>(words_.data()); }
  std::vector<std::uint32_t> read() const { return {words_.span().begin(), words_.span().end()}; }

 private:
  pinned_buffer<std::uint32_t> words_;
};

/// Marks pinned memory: each block is the only one to touch its word, unless it runs twice.
std::vector<task> marks_of(shared_visits const& visits, std::uint32_t n) {
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i) tasks.emplace_back(add_one_plainly{visits.ref()}, block_range{i, 1});
  return tasks;
}

balanced_options with_policy(std::string policy) {
  balanced_options options;
  options.policy = std::move(policy);
  options.queue = test_options();
  options.queue.times = true;
  return options;
}

class balanced_queue_with : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(feed_policies, balanced_queue_with, testing::Values("drain", "fixed"));

TEST_P(balanced_queue_with, executes_each_task_exactly_once_on_devices_of_unequal_speed) {
  std::uint32_t const n = 5'000;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), with_policy(GetParam()));
  auto const ticket = queue.submit(marks_of(visits, n));
  queue.wait(ticket);
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  std::uint64_t sum = 0;
  for (auto const& share : queue.shares(ticket)) sum += share.tasks;
  EXPECT_EQ(sum, n);
  queue.close();
}

TEST_P(balanced_queue_with, takes_batches_from_several_threads_over_several_rounds) {
  std::uint32_t const threads = 4, each = 600;
  shared_visits visits(threads * each);
  balanced_queue queue(devices(), kernels(), with_policy(GetParam()));
  auto const tasks = marks_of(visits, threads * each);
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t t = 0; t < threads; ++t)
      submitters.emplace_back([&, t] {
        for (std::uint32_t part = 0; part < 6; ++part)
          queue.wait(queue.submit(std::span(tasks).subspan(t * each + part * 100, 100)));
      });
  }
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(balanced_queue_with, finishes_nothing_one_task_and_one_giant_among_tiny_ones) {
  std::uint32_t const n = 2'000;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), with_policy(GetParam()));
  queue.wait(queue.submit(std::span<task const>{}));
  auto tasks = marks_of(visits, n);
  queue.wait(queue.submit(tasks[0]));
  queue.submit(std::span(tasks).subspan(1, 1));
  queue.submit(task(spin_then_mark{visits.ref(), 20'000'000}, {2, 1}));
  queue.submit(std::span(tasks).subspan(3));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(balanced_queue_with, stopped_midway_hands_back_what_did_not_run) {
  std::uint32_t const n = 3'000;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), with_policy(GetParam()));
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i)
    tasks.emplace_back(spin_then_mark{visits.ref(), 20'000}, block_range{i, 1});
  auto const ticket = queue.submit(tasks);
  queue.request_stop();
  try {
    queue.wait(ticket);  // a fast machine may have finished all of it
  } catch (queue_stopped const&) {}
  auto const rest = queue.stop();
  auto seen = visits.read();
  for (auto const& one : rest) seen[one.range().first] += 1;
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(balanced_queue, submits_prepared_tasks_again_and_again) {
  std::uint32_t const n = 500, rounds = 4;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), with_policy("drain"));
  auto const prepared = std::make_shared<prepared_tasks const>(kernels(), marks_of(visits, n));
  for (std::uint32_t round = 0; round < rounds; ++round) queue.wait(queue.submit(prepared));
  queue.close();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, rounds));
}

TEST(balanced_queue, restarts_without_allocating_on_any_device) {
  shared_visits visits(300);
  balanced_queue queue(devices(), kernels(), with_policy("drain"));
  auto const allocations = [] {
    std::uint64_t sum = 0;
    for (auto const& device : devices()) sum += device->allocations();
    return sum;
  };
  auto const before = allocations();
  auto const tasks = marks_of(visits, 300);
  for (std::size_t run = 0; run < 3; ++run) {
    if (run > 0) queue.start();
    queue.submit(std::span(tasks).subspan(run * 100, 100));
    queue.close();
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(balanced_queue, refuses_an_empty_device_list_and_an_unknown_policy) {
  EXPECT_THROW(balanced_queue({}, kernels()), bad_argument);
  EXPECT_THROW(balanced_queue(devices(), kernels(), with_policy("greedy")), bad_argument);
  balanced_queue queue(devices(), kernels(),
                       with_policy("drain"));  // the refusals left no resident kernel behind
  queue.close();
  EXPECT_THROW(queue.submit(task(add_one_plainly{}, {0, 1})), error);
}

TEST(balanced_queue, reports_the_time_between_first_begin_and_last_end_of_each_device) {
  std::uint32_t const n = 200;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), with_policy("drain"));
  auto const ticket = queue.submit(marks_of(visits, n));
  queue.wait(ticket);
  for (auto const& share : queue.shares(ticket)) {
    EXPECT_GE(share.when.last_end_ns, share.when.first_begin_ns);
    EXPECT_TRUE(share.tasks == 0 || share.when.first_begin_ns > 0);
  }
  queue.forget(ticket);
  EXPECT_TRUE(queue.finished(ticket));
  EXPECT_THROW(queue.shares(ticket), error);
  queue.close();
}

}  // namespace
}  // namespace ballast::test

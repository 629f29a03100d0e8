// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "fixture.hpp"
#include "noting_device.hpp"

namespace ballast::test {
using namespace detail;
namespace {

queue_options small_queue() {
  auto options = test_options();
  options.capacity = 4;
  if (first_device()->is_cuda()) options.resident.blocks = 5;
  return options;
}

queue_options small_queue_on_cores() {
  auto options = small_queue();
  options.resident.blocks = 0;
  return options;
}

constexpr std::uint32_t racers = 3, tasks_each = 2000;

/// Submits until it is refused; returns how many tasks were accepted. Task i of thread t is word t * each +
/// i.
template <class Queue>
std::uint32_t submit_until_refused(Queue& queue, array_ref<std::uint32_t> words, std::uint32_t first,
                                   std::uint32_t each) {
  std::uint32_t accepted = 0;
  try {
    for (; accepted < each; ++accepted) queue.submit(task(add_one_plainly{words}, {first + accepted, 1}));
  } catch (error const&) {}
  return accepted;
}

/// Whether words [first, first + accepted) are 1 and the other words of the thread's share are 0.
void expect_accepted_once(std::vector<std::uint32_t> const& words, std::uint32_t first, std::uint32_t each,
                          std::uint32_t accepted) {
  for (std::uint32_t i = 0; i < each; ++i)
    ASSERT_EQ(words[first + i], i < accepted ? 1u : 0u) << "task " << i << " of " << accepted << " accepted";
}

/// Rounds of threads that submit until a stop() refuses them, after a while that differs from round to round.
template <class Queue>
void race_submitters_with_stop(Queue& queue, pinned_buffer<std::uint32_t> const& words) {
  for (int round = 0; round < 25; ++round) {
    std::ranges::fill(words.span(), 0u);
    if (round > 0) queue.start();
    array_ref<std::uint32_t> const ref(words.data());
    std::vector<std::uint32_t> accepted(racers);
    std::vector<task> rest;
    {
      std::vector<std::jthread> submitters;
      for (std::uint32_t t = 0; t < racers; ++t)
        submitters.emplace_back(
            [&, t] { accepted[t] = submit_until_refused(queue, ref, t * tasks_each, tasks_each); });
      for (int i = 0; i < round * 20; ++i) std::this_thread::yield();
      rest = queue.stop();
    }
    for (auto const& one : rest) words[one.range().first] += 1;
    std::vector<std::uint32_t> const seen(words.span().begin(), words.span().end());
    for (std::uint32_t t = 0; t < racers; ++t)
      expect_accepted_once(seen, t * tasks_each, tasks_each, accepted[t]);
    EXPECT_TRUE(queue.stop().empty());
  }
}

TEST(racing_stop, returns_every_accepted_task_that_did_not_run_while_threads_submit) {
  pinned_buffer<std::uint32_t> const words(first_device(), racers * tasks_each);
  task_queue queue(first_device(), kernels(), small_queue());
  race_submitters_with_stop(queue, words);
}

TEST(racing_stop, of_a_balanced_queue_returns_every_accepted_task_that_did_not_run) {
  pinned_buffer<std::uint32_t> const words(first_device(), racers * tasks_each);
  balanced_options options;
  options.queue = small_queue();
  balanced_queue queue(devices(), kernels(), options);
  race_submitters_with_stop(queue, words);
}

TEST(racing_stop, of_a_chen_queue_returns_every_accepted_task_that_did_not_run) {
  pinned_buffer<std::uint32_t> const words(first_device(), racers * tasks_each);
  chen_options options;
  options.resident = small_queue().resident;
  options.timeout = small_queue().timeout;
  options.tasks_per_queue = 4;
  chen_queue queue(devices(), kernels(), options);
  race_submitters_with_stop(queue, words);
}

TEST(stopped_balanced_queue, tells_those_who_wait) {
  pinned_buffer<std::uint32_t> words(devices().front(), 2000);
  balanced_options options;
  options.queue = small_queue();
  balanced_queue queue(devices(), kernels(), options);
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < 2000; ++i)
    tasks.emplace_back(spin_then_mark{array_ref<std::uint32_t>(words.data()), 2'000'000}, block_range{i, 1});
  auto const done = queue.submit(tasks);
  std::atomic<bool> told = false;
  std::jthread waiting([&] {
    try {
      done.wait();
    } catch (stopped const&) { told = true; }
  });
  EXPECT_FALSE(queue.stop().empty());
  waiting.join();
  EXPECT_TRUE(told);
  queue.start();
  EXPECT_THROW(done.wait(), stopped) << "of the earlier run";
  queue.close();
}

TEST(completion_of_a_queue, stays_valid_when_the_queue_starts_again) {
  counted_words visits(first_device(), 1);
  task_queue queue(first_device(), kernels(), small_queue());
  auto const old = queue.submit(task(count_visit{visits.ref()}));
  queue.close();
  queue.start();
  EXPECT_TRUE(old.ready());
  old.wait();
  EXPECT_THROW(queue.execution_of(old), bad_argument);
  queue.close();
}

TEST(completion_of_a_queue, is_refused_by_another_one) {
  auto const mine = open_devices("host:1,host:1");
  counted_words visits(mine.front(), 1);
  task_queue one(mine[0], kernels(), small_queue_on_cores()),
      other(mine[1], kernels(), small_queue_on_cores());
  auto const of_one = one.submit(task(count_visit{visits.ref()}));
  auto const of_other = other.submit(task(count_visit{visits.ref()}));
  when_all(of_one, of_other).wait();
  EXPECT_THROW(one.execution_of(of_other), bad_argument);
  EXPECT_THROW(other.execution_of(of_one), bad_argument);
  one.close();
  other.close();
}

TEST(balanced_queue, refuses_a_completion_of_another_queue) {
  auto const mine = open_devices("host:1,host:1");
  counted_words visits(mine.front(), 1);
  balanced_options options;
  options.queue = small_queue_on_cores();
  balanced_queue one({mine[0]}, kernels(), options), other({mine[1]}, kernels(), options);
  one.submit(task(count_visit{visits.ref()}));
  auto const of_other = other.submit(task(count_visit{visits.ref()}));
  EXPECT_THROW(one.forget(of_other), bad_argument);
  EXPECT_THROW(one.shares(of_other), bad_argument);
  one.close();
  other.close();
}

TEST(faulted_queue, leaves_its_memory_until_every_worker_has_left) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a trap on a GPU ends all its blocks";
  for (int round = 0; round < 3; ++round) {
    auto const mine = open_devices("host:2").front();
    pinned_buffer<std::uint32_t> words(mine, 2);
    {
      task_queue queue(mine, kernels(), test_options());
      queue.submit(task(spin_then_mark{array_ref<std::uint32_t>(words.data()), 100'000'000}, {0, 1}));
      auto const doomed = queue.submit(task(fail{}));
      EXPECT_THROW(doomed.wait(), device_lost);
    }
  }
}

/// stop() with as many times its stop_timeout as a slow machine may need.
std::vector<task> stop_with_retries(task_queue& queue) {
  for (int tries = 0;; ++tries) {
    try {
      return queue.stop();
    } catch (timed_out const&) {
      if (tries == 1000) throw;
    }
  }
}

TEST(start, waits_for_what_it_clears_as_long_as_start_timeout_says) {
  auto const device = std::make_shared<noting_device>(first_device());
  auto options = test_options();
  options.start_at_once = false;
  options.resident.start_timeout = std::chrono::hours(5);
  task_queue queue(device, kernels(), options);
  device->notes().awaited_until.clear();
  auto const earliest = deadline::in(options.resident.start_timeout).at();
  queue.start();
  EXPECT_FALSE(device->notes().awaited_until.empty());
  for (auto const& until : device->notes().awaited_until) EXPECT_GE(until.at(), earliest);
  queue.close();
}

TEST(failed_start, leaves_a_queue_that_can_be_started_again) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "shown on cores: it needs a device that is full";
  auto const device = open_devices("host:1").front();
  pinned_buffer<std::uint32_t> entered(device, 1), gate(device, 1), words(device, 1);
  entered[0] = gate[0] = words[0] = 0;
  auto options = test_options();
  options.start_at_once = false;
  options.resident.start_timeout = std::chrono::milliseconds(200);
  options.resident.stop_timeout = std::chrono::milliseconds(50);
  task_queue queue(device, kernels(), options);
  auto const other = device->make_stream();
  launch(kernels(), *other,
         task(wait_at_gate{array_ref<std::uint32_t>(entered.data()), array_ref<std::uint32_t>(gate.data())}));
  while (std::atomic_ref(entered[0]).load(std::memory_order_acquire) == 0) std::this_thread::yield();
  EXPECT_THROW(queue.start(), timed_out);
  EXPECT_THROW(queue.start(), error);  // its block may still come, and use the memory
  std::atomic_ref(gate[0]).store(1, std::memory_order_release);
  other->synchronize();
  EXPECT_TRUE(stop_with_retries(queue).empty());
  queue.start();
  queue.submit(task(add_one_plainly{array_ref<std::uint32_t>(words.data())})).wait();
  queue.close();
  EXPECT_EQ(words[0], 1u);
}

}  // namespace
}  // namespace ballast::test

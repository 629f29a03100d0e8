// SPDX-License-Identifier: Apache-2.0
#include "ballast/completion.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "fixture.hpp"
#include "noting_device.hpp"

namespace ballast::test {
namespace {

queue_options small() {
  auto options = test_options();
  options.capacity = 64;
  if (!first_device()->is_cuda()) return options;
  options.resident.blocks = 3;
  return options;
}

balanced_options small_balanced() {
  balanced_options options;
  options.queue = small();
  return options;
}

TEST(completion_of_tasks, calls_its_continuation_when_all_of_a_batch_have_run) {
  shared_visits const visits(500);
  task_queue queue(first_device(), kernels(), small());
  std::vector<std::uint32_t> seen;
  queue.submit(visits_of(visits.ref(), 500)).then([&] { seen = visits.read(); }).wait();
  EXPECT_EQ(seen, std::vector<std::uint32_t>(500, 1));
  queue.close();
}

TEST(completion_of_tasks, has_continuations_that_submit) {
  constexpr std::uint32_t rounds = 100;
  shared_visits const visits(rounds);
  task_queue queue(first_device(), kernels(), small());
  std::atomic<std::uint32_t> next = 1;
  std::atomic<bool> over = false;
  std::function<void()> go_on = [&] {
    auto const round = next++;
    if (round == rounds) {
      over = true;
      over.notify_all();
    } else {
      queue.submit(task(count_visit{visits.ref()}, {round, 1})).then(go_on);
    }
  };
  queue.submit(task(count_visit{visits.ref()}, {0, 1})).then(go_on);
  over.wait(false);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(completion_of_tasks, that_a_continuation_submits_is_that_of_the_continuation) {
  shared_visits const visits(2);
  task_queue queue(first_device(), kernels(), small());
  std::vector<std::uint32_t> seen;
  queue.submit(task(count_visit{visits.ref()}, {0, 1}))
      .then([&] {
        seen = visits.read();
        return queue.submit(task(count_visit{visits.ref()}, {1, 1}));
      })
      .wait();
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(visits.read(), (std::vector<std::uint32_t>{1, 1}));
  queue.close();
}

TEST(completion_of_tasks, come_after_what_a_caller_has_enqueued_to_a_stream) {
  counted_words words(first_device(), 64);
  shared_visits const visits(1);
  auto const theirs = first_device()->make_stream();
  task_queue queue(first_device(), kernels(), small());
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 64; ++i) theirs->fill(words.ref().data(), (unsigned char)(round), 256);
    auto const moment = std::shared_ptr<event>(theirs->record_untimed());
    auto const after = completion_of(moment).then([&] {
      EXPECT_TRUE(moment->reached());
      return queue.submit(task(count_visit{visits.ref()}));
    });
    after.wait();
    completion_of(*theirs).wait();
  }
  EXPECT_EQ(visits.read()[0], 20u);
  EXPECT_THROW(completion_of(nullptr), bad_argument);
  queue.close();
}

TEST(completion_of_tasks, has_as_many_continuations_as_tasks) {
  constexpr std::uint32_t n = 20'000;
  shared_visits const visits(n);
  task_queue queue(first_device(), kernels(), small());
  std::uint32_t calls = 0;
  std::vector<completion> all;
  for (std::uint32_t i = 0; i < n; ++i)
    all.push_back(queue.submit(task(count_visit{visits.ref()}, {i, 1})).then([&] { ++calls; }));
  when_all(all).wait();
  EXPECT_EQ(calls, n);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(completion_of_tasks, may_not_be_waited_for_in_a_continuation_nor_may_the_queue) {
  gate held(1);
  task_queue queue(first_device(), kernels(), small());
  auto const done = queue.submit(held.holder(0));
  EXPECT_THROW(completion().then([&] { done.wait(); }).wait(), error);
  EXPECT_THROW(completion().then([&] { queue.wait_all(); }).wait(), error);
  EXPECT_THROW(completion().then([&] { queue.close(); }).wait(), error);
  held.open();
  done.wait();
  queue.close();
}

TEST(completion_of_tasks, that_have_run_stays_ready_when_the_queue_is_gone) {
  shared_visits const visits(10);
  completion done;
  {
    task_queue queue(first_device(), kernels(), small());
    done = queue.submit(visits_of(visits.ref(), 10));
    queue.close();
  }
  EXPECT_TRUE(done.ready());
  done.wait();
  done.then([] {}).wait_until(deadline::in(std::chrono::minutes(1)));
  EXPECT_EQ(done.source()->timeout(done.work()), default_timeout);
}

constexpr std::uint32_t held_workers = 2;

struct stopped_batches {
  completion ran, dropped, after;
};

/// Of a queue whose workers were held when it was asked to stop, and that is gone. Nothing: they ran all
/// before they heard of it, which a GPU's server must read over the bus.
std::optional<stopped_batches> batches_of_stopped_queue() {
  gate held(held_workers);
  shared_visits const visits(10);
  task_queue queue(first_device(), kernels(), small());
  stopped_batches all;
  for (std::uint32_t worker = 0; worker < queue.workers(); ++worker) {
    all.ran = queue.submit(held.holder(worker));
    held.await_inside(worker + 1);
  }
  all.dropped = queue.submit(visits_of(visits.ref(), 10));
  all.after = all.dropped.then([] {});
  queue.request_stop();
  held.open();
  if (queue.stop().empty()) return std::nullopt;
  EXPECT_TRUE(all.dropped.ready());
  EXPECT_THROW(all.dropped.wait(), stopped);
  return all;
}

TEST(completion_of_tasks, that_will_never_run_says_so_when_the_queue_is_gone) {
  if (task_queue(first_device(), kernels(), small()).workers() > held_workers)
    GTEST_SKIP() << "more workers than the gate holds";
  std::optional<stopped_batches> all;
  for (auto const until = deadline::in(std::chrono::minutes(1)); !all; all = batches_of_stopped_queue())
    ASSERT_FALSE(until.passed());
  auto const& [ran, dropped, after] = *all;
  ran.wait();
  EXPECT_TRUE(dropped.ready());
  EXPECT_THROW(dropped.wait(), stopped);
  EXPECT_THROW(after.wait(), stopped);
  EXPECT_THROW(when_any(dropped, completion()).wait(), stopped);
}

TEST(completion_of_tasks, of_each_run_tells_what_became_of_it) {
  shared_visits const visits(1);
  task_queue queue(first_device(), kernels(), small());
  std::vector<completion> of_runs;
  for (int run = 0; run < 20; ++run) {
    if (run > 0) queue.start();
    of_runs.push_back(queue.submit(task(count_visit{visits.ref()})));
    queue.close();
  }
  when_all(of_runs).wait();
  EXPECT_EQ(visits.read()[0], 20u);
}

TEST(completion_of_tasks, lets_go_of_those_who_wait_when_the_queue_goes) {
  gate held(1);
  auto queue = std::make_unique<task_queue>(first_device(), kernels(), small());
  auto const done = queue->submit(held.holder(0));
  held.await_inside(1);
  std::atomic<int> told = 0;
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 4; ++i)
    waiting.emplace_back([&] {
      try {
        done.wait();
      } catch (stopped const&) {}
      ++told;
    });
  queue->request_stop();
  held.open();
  queue.reset();
  waiting.clear();
  EXPECT_EQ(told, 4);
}

TEST(completion_of_a_backlog, has_continuations_and_outlives_the_queue) {
  shared_visits const visits(1000);
  completion done, after;
  {
    balanced_queue queue(devices(), kernels(), small_balanced());
    done = queue.submit(visits_of(visits.ref(), 1000));
    after = done.then([] {});
    after.wait();
    queue.close();
  }
  EXPECT_TRUE(done.ready());
  done.wait();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(completion_of_a_backlog, is_not_ready_while_a_task_of_the_batch_runs_though_somebody_stops_the_queue) {
  gate held(1);
  balanced_queue queue({first_device()}, kernels(), small_balanced());
  auto const runs = queue.submit(std::vector{held.holder(0)});
  held.await_inside(1);
  std::jthread const stops([&] { queue.stop(); });
  EXPECT_THROW(runs.wait(), stopped) << "who waits is let go at once";
  EXPECT_FALSE(runs.ready());
  std::atomic<bool> is_open = false;
  auto const after = runs.then([&](completion const&) { EXPECT_TRUE(is_open); });
  completion().then([] {}).wait();  // it has been looked at
  is_open = true;
  held.open();
  after.wait();
  runs.wait();
}

TEST(completion_of_a_backlog, is_not_ready_while_its_task_runs_on_the_device_that_did_not_fail) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a trap ends the process's use of a GPU";
  auto const mine = open_devices("host:1,host:1");
  gate held(1);
  balanced_queue queue(mine, kernels(), small_balanced());
  auto const runs = queue.submit(std::vector{held.holder(0)});
  held.await_inside(1);
  auto const other = queue.on(0).claimed() == 0 ? 0 : 1;  // which device took it is not said
  auto const fails = queue.on(other).submit(task(fail{}));
  EXPECT_THROW(fails.wait(), device_lost);
  EXPECT_THROW(queue.submit(std::vector{held.holder(0)}).wait(), error) << "its feeder has seen it";
  EXPECT_FALSE(runs.ready());
  held.open();
  runs.then([](completion const& ended) { ended.wait(); }).wait();
  EXPECT_THROW(queue.close(), error);
}

TEST(completion_of_tasks, of_cores_of_which_one_failed_is_ready_when_the_others_have_left) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a trap ends the process's use of a GPU";
  auto const mine = open_devices("host:2").front();
  gate held(1);
  task_queue queue(mine, kernels(), small());
  queue.submit(held.holder(0));
  held.await_inside(1);
  auto const fails = queue.submit(task(fail{}));
  EXPECT_THROW(fails.wait(), device_lost);
  EXPECT_FALSE(fails.ready()) << "the other core works on";
  held.open();
  EXPECT_THROW(fails.then([](completion const& ended) { ended.wait(); }).wait(), device_lost);
  EXPECT_TRUE(fails.ready());
}

TEST(completion_of_a_backlog, is_ready_where_the_second_device_could_not_be_started) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a queue beside another one's kernel would have to allocate";
  auto const mine = open_devices("host:1,host:1");
  shared_visits const visits(mine[0], 1);
  balanced_queue queue(mine, kernels(), small_balanced());
  queue.close();
  task_queue occupies(mine[1], kernels(), small());
  std::atomic<bool> over = false;
  std::jthread const submits([&] {
    while (!over) try {
        auto const done = queue.submit(task(count_visit{visits.ref()}));
        try {
          done.wait_until(deadline::in(std::chrono::minutes(1)));
        } catch (timed_out const& late) { ADD_FAILURE() << late.what(); }
        EXPECT_TRUE(done.ready());
      } catch (error const&) {}
  });
  for (int i = 0; i < 20; ++i) EXPECT_THROW(queue.start(), error);
  over = true;
  occupies.close();
}

TEST(completion_of_tasks, lets_nobody_who_waits_for_all_wait_for_those_of_the_next_run) {
  constexpr int rounds = 20;
  std::deque<gate> gates;
  for (int round = 0; round < rounds; ++round) gates.emplace_back(1);
  task_queue queue(first_device(), kernels(), small());
  int returned = 0;
  for (auto& held : gates) {
    queue.submit(held.holder(0));
    held.await_inside(1);
    std::atomic<bool> waits = false;
    std::jthread waiting([&] {
      waits = true;
      try {
        queue.wait_all();
      } catch (stopped const&) {}
      ++returned;
    });
    while (!waits) std::this_thread::yield();
    queue.request_stop();
    held.open();
    queue.stop();
    queue.start();
    waiting.join();
  }
  EXPECT_EQ(returned, rounds);
  queue.close();
}

TEST(completion_of_a_backlog, fails_when_the_queue_goes_before_its_tasks_have_run) {
  gate held(2);
  shared_visits const visits(10);
  completion holds, waits;
  {
    balanced_queue queue({first_device()}, kernels(), small_balanced());
    if (queue.on(0).workers() > 2) GTEST_SKIP() << "more workers than the gate holds";
    std::vector<task> holders;
    for (std::uint32_t worker = 0; worker < queue.on(0).workers(); ++worker)
      holders.push_back(held.holder(worker));
    holds = queue.submit(holders);
    held.await_inside(holders.size());
    waits = queue.submit(visits_of(visits.ref(), 10));
    queue.request_stop();
    held.open();
    EXPECT_FALSE(queue.stop().empty());
    holds.wait();
    EXPECT_THROW(waits.wait(), stopped);
  }
  holds.wait();
  EXPECT_TRUE(waits.ready());
  EXPECT_THROW(waits.wait(), stopped);
}

// Between the wait's look at the task and its look at the queue the task ends, and so does the queue.
TEST(completion_of_tasks, is_no_error_if_the_last_that_a_stopped_queue_did_was_its_task) {
  auto const device = std::make_shared<noting_device>(open_devices("host:1").front());
  task_queue queue(device, kernels(), test_options(*device));
  gate held(1);
  auto const end = queue.submit(held.holder(0));
  held.await_inside(1);
  queue.request_stop();
  device->notes().before_next_look = [&] {
    EXPECT_FALSE(end.ready());
    held.open();
    auto const until = deadline::in(std::chrono::minutes(1));
    while (queue.running() && !until.passed()) std::this_thread::yield();
  };
  EXPECT_NO_THROW(end.wait());
  EXPECT_FALSE(device->notes().before_next_look) << "the wait did not look at the queue";
  queue.stop();
}

}  // namespace
}  // namespace ballast::test

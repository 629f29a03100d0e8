// SPDX-License-Identifier: Apache-2.0
#include "ballast/completion.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "fixture.hpp"

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
  done.then([] {}).wait();
}

TEST(completion_of_tasks, that_will_never_run_says_so_when_the_queue_is_gone) {
  gate held(2);
  shared_visits const visits(10);
  completion ran, dropped, after;
  {
    task_queue queue(first_device(), kernels(), small());
    for (std::uint32_t worker = 0; worker < 2 && worker < queue.workers(); ++worker) {
      ran = queue.submit(held.holder(worker));
      held.await_inside(worker + 1);
    }
    if (queue.workers() > 2) GTEST_SKIP() << "more workers than the gate holds";
    dropped = queue.submit(visits_of(visits.ref(), 10));
    after = dropped.then([] {});
    queue.request_stop();
    held.open();
    EXPECT_EQ(queue.stop().size(), 10u);
    EXPECT_TRUE(dropped.ready());
    EXPECT_THROW(dropped.wait(), stopped);
  }
  ran.wait();
  EXPECT_TRUE(dropped.ready());
  EXPECT_THROW(dropped.wait(), stopped);
  EXPECT_THROW(after.wait(), stopped);
  EXPECT_THROW(when_any(dropped, completion()).wait(), stopped);
}

TEST(completion_of_tasks, of_each_run_tells_what_became_of_it) {
  task_queue queue(first_device(), kernels(), small());
  shared_visits const visits(1);
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
    EXPECT_EQ(queue.stop().size(), 10u);
    holds.wait();
    EXPECT_THROW(waits.wait(), stopped);
  }
  holds.wait();
  EXPECT_TRUE(waits.ready());
  EXPECT_THROW(waits.wait(), stopped);
}

}  // namespace
}  // namespace ballast::test

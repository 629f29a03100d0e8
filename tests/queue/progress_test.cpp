// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "backlog.hpp"
#include "ballast/balanced_queue.hpp"
#include "fixture.hpp"
#include "forked_child.hpp"
#include "sanitized.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// What must hold of all counts, whatever happens while they are read.
void expect_in_order(queue_progress const& now) {
  EXPECT_LE(now.done + now.waiting, now.submitted);
  for (auto const& device : now.devices) expect_in_order(device);
}

balanced_options options_for_progress() {
  auto options = balanced_by("fixed");
  options.fixed_batch = 2;
  options.queue.resident.blocks = 0;
  return options;
}

TEST(progress, of_a_task_queue_counts_what_waits_behind_a_worker_that_is_held) {
  auto const core = open_devices("host:1").front();
  gate held(1);
  counted_words visits(core, 20);
  task_queue queue(core, kernels(), test_options(*core));
  EXPECT_EQ(queue.progress().submitted, 0u);
  queue.submit(visits_of(visits.ref(), 3)).wait();
  EXPECT_EQ(queue.progress().done, 3u);
  queue.submit(held.holder(0));
  held.await_inside(1);
  queue.submit(visits_of(visits.ref(), 20));
  auto const now = queue.progress();
  EXPECT_EQ(now.submitted, 24u);
  EXPECT_EQ(now.done, 3u);
  EXPECT_GT(now.waiting, 0u);
  EXPECT_LE(now.waiting, 20u);
  EXPECT_EQ(now.oldest, clock::duration(0));
  EXPECT_TRUE(now.devices.empty());
  held.open();
  queue.close();
  EXPECT_EQ(queue.progress().done, 24u);
  EXPECT_EQ(queue.progress().waiting, 0u);
  queue.start();
  EXPECT_EQ(queue.progress().submitted, 0u) << "of the new run";
  queue.close();
}

TEST(progress, of_a_balanced_queue_counts_what_no_device_has_and_what_was_cancelled_no_longer) {
  auto const core = open_devices("host:1").front();
  gate held(1);
  counted_words visits(core, 50);
  balanced_queue queue({core}, kernels(), options_for_progress());
  queue.submit(held.holder(0));
  held.await_inside(1);
  queue.submit(visits_of(visits.ref(), 50));
  auto const cancelled = queue.submit(visits_of(visits.ref(), 50));
  auto const before = queue.progress();
  EXPECT_EQ(before.submitted, 101u);
  EXPECT_EQ(before.done, 0u);
  EXPECT_GT(before.waiting, 50u);
  EXPECT_GT(before.oldest, clock::duration(0));
  EXPECT_LT(before.devices.at(0).submitted, 50u);
  EXPECT_EQ(queue.cancel(cancelled).size(), 50u);
  auto const after = queue.progress();
  EXPECT_EQ(after.submitted, 51u);
  EXPECT_LE(after.waiting, 50u);
  EXPECT_GE(after.oldest, before.oldest);
  held.open();
  queue.wait_all();
  auto const ended = queue.progress();
  EXPECT_EQ(ended.done, 51u);
  EXPECT_EQ(ended.oldest, clock::duration(0));
  queue.close();
  EXPECT_EQ(queue.progress().devices.at(0).done, 51u);
  queue.start();
  EXPECT_EQ(queue.progress().submitted, 0u) << "of the new run";
  queue.close();
}

TEST(progress, of_a_stopped_queue_keeps_its_counts) {
  auto const core = open_devices("host:1").front();
  gate held(1);
  balanced_queue queue({core}, kernels(), options_for_progress());
  queue.submit(held.holder(0));
  held.await_inside(1);
  counted_words visits(core, 50);
  queue.submit(visits_of(visits.ref(), 50));
  queue.request_stop();
  held.open();
  auto const returned = queue.stop().size();
  auto const now = queue.progress();
  EXPECT_EQ(now.submitted, 51u);
  EXPECT_EQ(now.done + returned, 51u);
  EXPECT_EQ(now.waiting, 0u) << "stop() has returned them";
}

TEST(progress, finds_the_oldest_batch_behind_any_number_of_finished_ones) {
  backlog tasks(1);
  auto const batch = std::make_shared<prepared_tasks const>(kernels(), visits_of({}, 1));
  for (int i = 0; i < 5'000; ++i) tasks.add(batch);
  while (auto const piece = tasks.take(0, 1)) tasks.finish(*piece, 0, {});
  auto const before = clock::now();
  tasks.add(batch);
  auto const between = clock::now();
  tasks.add(batch);
  auto const oldest = tasks.progress().oldest;
  EXPECT_LE(oldest, clock::now() - before);
  EXPECT_GT(oldest, clock::duration(0));
  auto const first = tasks.take(0, 1);
  tasks.finish(*first, 0, {});
  auto const next = tasks.progress().oldest;
  EXPECT_LE(next, clock::now() - between) << "that of the second";
  auto const second = tasks.take(0, 1);
  tasks.finish(*second, 0, {});
  auto const ended = tasks.progress();
  EXPECT_EQ(ended.oldest, clock::duration(0));
  EXPECT_EQ(ended.done, 5'002u);
}

TEST(progress, has_the_share_of_workers_that_run_a_task) {
  auto const both = open_devices("host:2,host:2");
  gate held(3);
  auto options = options_for_progress();
  options.fixed_batch = 1;
  balanced_queue queue(both, kernels(), options);
  EXPECT_EQ(queue.progress().busy, 0.0);
  queue.on(0).submit(held.holder(0));
  queue.on(1).submit(held.holder(1));
  queue.on(1).submit(held.holder(2));
  held.await_inside(3);
  auto const now = queue.progress();
  EXPECT_EQ(now.devices.at(0).busy, 0.5);
  EXPECT_EQ(now.devices.at(1).busy, 1.0);
  EXPECT_EQ(now.busy, 0.75);
  held.open();
  queue.close();
  EXPECT_EQ(queue.progress().busy, 0.0);
}

TEST(progress, is_read_while_the_queue_closes_and_starts_again_and_again) {
  shared_visits visits(100);
  auto const tasks = visits_of(visits.ref(), 100);
  task_queue queue(first_device(), kernels(), test_options());
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    while (!is_over) {
      auto const now = queue.progress();
      expect_in_order(now);
      EXPECT_LE(now.submitted, 100u);
      EXPECT_GE(now.busy, 0);
      EXPECT_LE(now.busy, 1);
    }
  });
  for (int i = 0; i < 20; ++i) {
    queue.submit(tasks);
    queue.close();
    EXPECT_EQ(queue.progress().done, 100u);
    queue.start();
  }
  is_over = true;
  reader.join();
}

/// Looks at what the parent publishes until it publishes nothing any more; true if the counts were in order,
/// and the last were of all tasks.
bool watch_to_the_end(int parent, std::uint64_t tasks, int said) {
  auto const say = [&] { return write(said, "x", 1) == 1; };
  std::uint64_t done = 0;
  for (bool is_first = true;; is_first = false) {
    auto const all = published_progress::read(parent);
    if (all.empty()) return done == tasks;
    auto const& now = all.front().progress;
    if (now.done < done || now.done + now.waiting > now.submitted) return false;
    bool const is_last = done != tasks && now.done == tasks;
    done = now.done;
    if ((is_first || is_last) && !say()) return false;
  }
}

TEST(progress, is_watched_by_another_process_while_the_queue_ends) {
  if (sanitized || first_device()->is_cuda())
    GTEST_SKIP() << "no child beside a sanitizer's threads, or CUDA";
  constexpr std::uint32_t n = 4'000;
  shared_visits visits(n);
  task_queue queue(first_device(), kernels(), test_options());
  auto published = std::make_unique<published_progress>("visits", [&] { return queue.progress(); });
  int said[2];
  ASSERT_EQ(pipe(said), 0);
  auto const parent = getpid(), child = fork();
  if (child == 0) {
    alarm(60);
    _exit(watch_to_the_end(parent, n, said[1]) ? well : badly);
  }
  char sign = 0;
  ASSERT_EQ(read(said[0], &sign, 1), 1) << "it looks";
  auto const tasks = visits_of(visits.ref(), n);
  for (std::uint32_t i = 0; i < n; i += 100) queue.submit(std::span(tasks).subspan(i, 100));
  queue.close();
  EXPECT_EQ(read(said[0], &sign, 1), 1) << "it has seen all tasks";
  published.reset();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), well);
  close(said[0]), close(said[1]);
}

/// Threads that submit, and one that reads until the queue has been closed.
template <class Queue>
void read_while_it_runs(Queue& queue, shared_visits const& visits, std::uint32_t n) {
  std::atomic<bool> is_closed = false;
  std::thread reader([&] {
    std::uint64_t submitted = 0;
    while (!is_closed) {
      auto const now = queue.progress();
      expect_in_order(now);
      EXPECT_GE(now.submitted, submitted);
      submitted = now.submitted;
    }
  });
  auto const tasks = visits_of(visits.ref(), n);
  auto const submit_half = [&](std::uint32_t half) {
    for (std::uint32_t i = 0; i < n / 2; i += 10)
      queue.submit(std::span(tasks).subspan(half * n / 2 + i, 10));
  };
  std::thread other([&] { submit_half(1); });
  submit_half(0);
  other.join();
  queue.close();
  is_closed = true;
  reader.join();
  EXPECT_EQ(queue.progress().done, n);
}

TEST(progress, of_a_task_queue_is_read_while_threads_submit_and_it_closes) {
  std::uint32_t const n = 4'000;
  shared_visits visits(n);
  task_queue queue(first_device(), kernels(), test_options());
  read_while_it_runs(queue, visits, n);
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(progress, of_a_balanced_queue_is_read_while_threads_submit_and_it_closes) {
  std::uint32_t const n = 4'000;
  shared_visits visits(n);
  balanced_queue queue(devices(), kernels(), options_for_progress());
  read_while_it_runs(queue, visits, n);
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

}  // namespace
}  // namespace ballast::test

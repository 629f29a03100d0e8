// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/task_graph.hpp"
#include "complaint.hpp"
#include "fixture.hpp"
#include "names_of.hpp"
#include "refused_argument.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
namespace {

using testing::HasSubstr;

/// A queue with one worker, which a task holds.
class urgent_tasks : public testing::Test {
 protected:
  static constexpr std::uint32_t n = 100;

  urgent_tasks() {
    queue_.start();
    queue_.submit(held_.holder(0));
    held_.await_inside(1);
  }
  ~urgent_tasks() override { held_.open(); }
  static queue_options options() {
    auto of = test_options();
    of.resident.blocks = first_device()->is_cuda() ? 2 : 1;  // one of a GPU's blocks serves
    of.capacity = 256;
    of.times = true;
    of.trace_depth = 1'024;
    of.start_at_once = false;
    return of;
  }
  /// Tasks that write their places, in blocks from `first` on.
  std::vector<task> tasks(std::uint32_t first, std::uint32_t count) const {
    std::vector<task> all;
    for (std::uint32_t i = first; i < first + count; ++i)
      all.emplace_back(write_place{next_.ref(), places_.ref()}, block_range{i, 1});
    return all;
  }
  void await_all_fetched() const {
    auto const until = deadline::in(std::chrono::minutes(1));
    auto const is_fetched = [this] {
      auto const now = queue_.statistics();
      return now.fetched == now.submitted;
    };
    while (!first_device()->capabilities().shares_host_memory && !is_fetched() && !until.passed())
      std::this_thread::yield();
  }

  gate held_{1};
  counted_words next_{first_device(), 1}, places_{first_device(), 2 * n};
  task_queue queue_{first_device(), kernels(), options()};
};

TEST_F(urgent_tasks, run_before_all_that_wait_and_in_order_of_submission) {
  queue_.submit(tasks(0, n));
  queue_.submit(tasks(n, n / 2), {.urgent = true});
  queue_.submit(tasks(n + n / 2, n / 2), {.urgent = true});
  await_all_fetched();
  held_.open();
  queue_.close();
  auto const places = places_.read();
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(places[n + i], i) << "urgent";
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(places[i], n + i);
}

TEST_F(urgent_tasks, may_be_grids_beside_other_grids) {
  queue_.submit(grid_task(task(write_place{next_.ref(), places_.ref()}, {0, n})));
  auto const urgent =
      queue_.submit(grid_task(task(write_place{next_.ref(), places_.ref()}, {n, n})), {.urgent = true});
  held_.open();
  urgent.wait();
  queue_.close();
  auto places = places_.read();
  std::ranges::sort(places);
  for (std::uint32_t i = 0; i < 2 * n; ++i) EXPECT_EQ(places[i], i) << "each block once";
}

TEST_F(urgent_tasks, are_known_by_their_times_and_in_the_trace) {
  auto const usual = queue_.submit(tasks(0, 1));
  auto const urgent = queue_.submit(tasks(1, 2), {.urgent = true});
  await_all_fetched();
  held_.open();
  queue_.wait_all();
  EXPECT_LE(queue_.execution_of(urgent).last_end_ns, queue_.execution_of(usual).first_begin_ns);
  queue_.close();
  auto const spans = queue_.task_spans();
  ASSERT_EQ(spans.size(), 4u);
  EXPECT_EQ(spans[1].ring, options().submission_rings) << "after those of threads";
  EXPECT_EQ(spans[2].ring, options().submission_rings);
  EXPECT_EQ(spans[2].submission, 1u);
  EXPECT_EQ(spans[3].ring, 0u);
}

TEST_F(urgent_tasks, may_be_awaited_by_others_even_if_there_is_only_one_worker) {
  held_.open();
  completion after;
  for (std::uint32_t i = 0; i < n; ++i) {
    auto const urgent = queue_.submit(tasks(i, 1), {.urgent = true});
    after = queue_.submit(tasks(n + i, 1), {.after = urgent});
  }
  after.wait();
  queue_.close();
  auto const places = places_.read();
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_LT(places[i], places[n + i]);
}

TEST_F(urgent_tasks, are_handed_back_by_a_stop_as_the_others) {
  queue_.submit(tasks(0, n));
  queue_.submit(tasks(n, n), {.urgent = true});
  queue_.request_stop();
  held_.open();
  auto const rest = queue_.stop();
  EXPECT_GT(rest.size(), n) << "a GPU's worker may run some before it knows";
  queue_.start();
  queue_.submit(rest, {.urgent = true}).wait();
  queue_.close();
  auto places = places_.read();
  std::ranges::sort(places);
  for (std::uint32_t i = 0; i < 2 * n; ++i) EXPECT_EQ(places[i], i) << "each task once";
}

TEST_F(urgent_tasks, are_counted_and_named_by_the_queues_state) {
  queue_.submit(tasks(0, 3), {.urgent = true});
  EXPECT_EQ(queue_.progress().submitted, 4u);
  EXPECT_EQ(queue_.progress().done, 0u);
  EXPECT_THAT(queue_.describe(), HasSubstr("urgent tasks: 3 slots submitted"));
  held_.open();
  queue_.wait_all();
  EXPECT_EQ(queue_.progress().done, 4u);
  queue_.close();
  EXPECT_EQ(queue_.claimed(), 4u);
  EXPECT_EQ(queue_.statistics().fetched, 4u);
}

TEST(urgent, runs_each_task_exactly_once_however_many_threads_submit_to_full_rings) {
  std::uint32_t const of_a_thread = 5'000, threads = 3, n = threads * of_a_thread;
  counted_words const visits(first_device(), n);
  auto const tasks = visits_of(visits.ref(), n);
  auto options = test_options();
  options.capacity = 8;
  options.submission_rings = 2;
  task_queue queue(first_device(), kernels(), options);
  auto const submit_part = [&](std::uint32_t thread) {
    for (std::uint32_t i = 0; i < of_a_thread; i += 5)
      queue.submit(std::span(tasks).subspan(thread * of_a_thread + i, 5), {.urgent = i % 3 == 0});
  };
  std::vector<std::thread> others;
  for (std::uint32_t thread = 1; thread < threads; ++thread) others.emplace_back(submit_part, thread);
  submit_part(0);
  for (auto& other : others) other.join();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(urgent, runs_or_hands_back_each_task_whenever_a_stop_comes) {
  std::uint32_t const n = 2'000;
  counted_words const visits(first_device(), n);
  auto options = test_options();
  options.capacity = 2'048;
  task_queue queue(first_device(), kernels(), options);
  auto left = visits_of(visits.ref(), n);
  for (std::uint32_t stops = 0; stops < 20 && !left.empty(); ++stops) {
    auto const half = left.size() / 2;
    queue.submit(std::span(left).first(half));
    auto const urgent = queue.submit(std::span(left).subspan(half), {.urgent = true});
    if (stops % 3 == 2) urgent.wait();
    left = queue.stop();
    queue.start();
  }
  queue.submit(left, {.urgent = true});
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(urgent, leaves_workers_beyond_its_share_to_other_tasks) {
  auto const cores = open_devices("host:2").front();
  auto options = test_options();
  options.urgent_share = 0.3;  // one of two
  options.resident.blocks = 0;
  gate urgent(2);
  counted_words const visits(cores, 100);
  task_queue queue(cores, kernels(), options);
  queue.submit(std::vector{urgent.holder(0), urgent.holder(1)}, {.urgent = true});
  urgent.await_inside(1);
  queue.submit(visits_of(visits.ref(), 100));
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.progress().waiting > 2 && !until.passed()) std::this_thread::yield();
  EXPECT_LE(queue.progress().waiting, 2u) << "an urgent one, and the next of the worker that runs the other";
  EXPECT_EQ(urgent.inside(), 1u);
  urgent.open();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

/// On a GPU a few of its multiprocessors are kept, on cores one of two.
class kept_for_urgent_tasks : public testing::Test {
 protected:
  static std::shared_ptr<compute_device> device() {
    return first_device()->is_cuda() ? first_device() : open_devices("host:2").front();
  }
  static queue_options options() {
    auto of = test_options();
    of.resident.blocks = 0;  // all, so that some are left for the others
    of.urgent_multiprocessors = first_device()->is_cuda() ? 3 : 1;
    return of;
  }
};

TEST_F(kept_for_urgent_tasks, run_these_while_all_others_hold_the_rest) {
  auto const on = device();
  gate others(20'000);
  counted_words const visits(on, 50);
  task_queue queue(on, kernels(), options());
  auto const workers = queue.workers_of_run();
  std::vector<task> held;
  for (std::uint32_t i = 0; i < 2 * workers; ++i) held.push_back(others.holder(i));
  queue.submit(held);
  queue.submit(visits_of(visits.ref(), 50), {.urgent = true}).wait();
  EXPECT_LT(others.inside(), workers);
  others.open();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_F(kept_for_urgent_tasks, leave_no_task_behind_at_a_close_or_a_stop) {
  std::uint32_t const n = 3'000;
  auto const on = device();
  counted_words const visits(on, n);
  task_queue queue(on, kernels(), options());
  auto left = visits_of(visits.ref(), n);
  for (std::uint32_t stops = 0; stops < 4; ++stops) {
    auto const half = left.size() / 2;
    queue.submit(std::span(left).first(half), {.urgent = stops % 2 == 0});
    queue.submit(std::span(left).subspan(half), {.urgent = stops % 2 == 1});
    left = queue.stop();
    queue.start();
  }
  queue.submit(left, {.urgent = true});
  queue.close();
  queue.start();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_F(kept_for_urgent_tasks, are_refused_where_none_would_be_left_for_others) {
  auto const core = open_devices("host:1").front();
  auto const refused = [&](int kept, std::shared_ptr<compute_device> const& on, kernel_set const& set) {
    auto of = options();
    of.urgent_multiprocessors = kept;
    return refused_argument([&] { task_queue const queue(on, set, of); });
  };
  EXPECT_EQ(refused(1, core, kernels()), "urgent_multiprocessors");
  EXPECT_EQ(refused(-1, device(), kernels()), "urgent_multiprocessors");
  EXPECT_EQ(refused(33, device(), kernels()), "urgent_multiprocessors");
  EXPECT_EQ(refused(1, device(), spawning_kernels()), "urgent_multiprocessors");
}

TEST(urgent, names_the_submission_of_a_task_that_fails) {
  auto const core = open_devices("host:1").front();
  auto options = test_options();
  options.resident.blocks = 0;
  task_queue queue(core, kernels(), options);
  auto const done = queue.submit(task(fail{}, {7, 1}), {.urgent = true});
  EXPECT_THAT(complaint([&] { done.wait(); }), HasSubstr("block 7 of urgent submission 1"));
  EXPECT_EQ(queue.stop().size(), 0u);
}

TEST(urgent, is_refused_where_it_cannot_be) {
  task_queue queue(first_device(), kernels(), test_options());
  task_graph graph(kernels());
  auto const tasks = visits_of({}, 1);
  EXPECT_EQ(refused_argument([&] { queue.submit(tasks, {.after = completion(), .urgent = true}); }), "after");
  EXPECT_EQ(refused_argument([&] { queue.submit(graph, {.urgent = true}); }), "urgent");
  queue.close();
  for (double const share : {0.0, -1.0, 1.01, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(refused_argument([&] {
                auto options = test_options();
                options.urgent_share = share;
                task_queue refused(first_device(), kernels(), options);
              }),
              "urgent_share")
        << share;
}

TEST(urgent, is_refused_where_tasks_may_create_tasks) {
  auto const none = std::vector<task>{};
  task_queue queue(first_device(), spawning_kernels(), test_options());
  EXPECT_EQ(refused_argument([&] { queue.submit(none, {.urgent = true}); }), "urgent");
  queue.close();
  balanced_queue over_all(devices(), spawning_kernels(), balanced_by("rate"));
  EXPECT_EQ(refused_argument([&] { over_all.submit(none, {.urgent = true}); }), "urgent");
  over_all.close();
}

class urgent_with : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(feed_policies, urgent_with, testing::ValuesIn(names_of(feed_policies())));

// The one worker is held first by a task of no batch of these, and has many tasks in its ring.
TEST_P(urgent_with, passes_what_a_device_of_a_balanced_queue_was_given) {
  std::uint32_t const n = 2'000;
  auto const core = open_devices("host:1").front();
  auto options = balanced_by(GetParam());
  options.queue.resident.blocks = 0;
  gate first(1), second(1);
  counted_words const visits(core, n);
  balanced_queue queue({core}, kernels(), options);
  queue.submit(first.holder(0));
  first.await_inside(1);
  queue.submit(visits_of(visits.ref(), n));
  auto const urgent = queue.submit(second.holder(0), {.urgent = true});
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.on(0).describe().find("urgent tasks") == std::string::npos && !until.passed())
    std::this_thread::yield();
  first.open();
  second.await_inside(1);
  EXPECT_THAT(visits.read(), testing::Each(0u));
  second.open();
  urgent.wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(urgent_with, runs_each_task_of_a_balanced_queue_exactly_once) {
  std::uint32_t const batches = 300, of_a_batch = 20, n = batches * of_a_batch;
  shared_visits visits(n);
  auto const tasks = visits_of(visits.ref(), n);
  balanced_queue queue(devices(), kernels(), balanced_by(GetParam()));
  for (std::uint32_t batch = 0; batch < batches; ++batch)
    queue.submit(std::span(tasks).subspan(batch * of_a_batch, of_a_batch),
                 {.priority = int(batch % 3), .urgent = batch % 4 == 0});
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/task_graph.hpp"
#include "fixture.hpp"
#include "names_of.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
namespace {

/// The number of tasks that stopped says were not executed; 0 if the wait succeeds.
std::uint64_t not_executed(completion const& batch) {
  try {
    batch.wait();
  } catch (stopped const& ended) { return ended.unfinished(); }
  return 0;
}

/// A queue over one worker, which is held by a task of the first batch. The device is given few tasks.
class cancelling : public testing::Test {
 protected:
  static constexpr std::uint32_t n = 100;

  static balanced_options options() {
    auto options = balanced_by("fixed");
    options.fixed_batch = 2;
    options.queue.resident.blocks = 0;
    return options;
  }
  void SetUp() override {
    auto tasks = visits_of(visits_.ref(), n);
    tasks.insert(tasks.begin(), held_.holder(0));
    begun_ = queue_.submit(tasks);
    held_.await_inside(1);
  }
  void TearDown() override { held_.open(); }
  completion submit_another() { return queue_.submit(visits_of(others_.ref(), n)); }
  static std::uint32_t sum(counted_words const& of) {
    auto const words = of.read();
    return std::accumulate(words.begin(), words.end(), 0u);
  }

  std::shared_ptr<compute_device> core_ = open_devices("host:1").front();
  gate held_{1};
  counted_words visits_{core_, n}, others_{core_, n};
  balanced_queue queue_{{core_}, kernels(), options()};
  completion begun_;
};

TEST_F(cancelling, returns_all_of_a_batch_that_has_not_begun_and_ends_it_at_once) {
  auto const other = submit_another();
  auto const returned = queue_.cancel(other);
  ASSERT_EQ(returned.size(), n);
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(returned[i].range().first, i);
  EXPECT_TRUE(other.ready()) << "although the worker is held";
  EXPECT_EQ(not_executed(other), n);
  held_.open();
  begun_.wait();
  EXPECT_EQ(sum(others_), 0u);
  queue_.submit(returned);
  queue_.close();
  EXPECT_EQ(check_visits(visits_.read()), exactly_once);
  EXPECT_EQ(check_visits(others_.read()), exactly_once);
}

TEST_F(cancelling, of_a_batch_that_has_begun_ends_it_once_the_device_has_run_what_it_has) {
  auto const returned = queue_.cancel(begun_);
  EXPECT_GT(returned.size(), 0u);
  EXPECT_FALSE(begun_.ready()) << "a task of it is at the gate";
  held_.open();
  EXPECT_EQ(not_executed(begun_), returned.size());
  EXPECT_EQ(sum(visits_) + returned.size(), n);
  EXPECT_EQ(queue_.shares(begun_)[0].tasks + returned.size(), n + 1);
  queue_.submit(returned);
  queue_.close();
  EXPECT_EQ(check_visits(visits_.read()), exactly_once);
}

TEST_F(cancelling, twice_returns_each_task_once) {
  auto const returned = queue_.cancel(begun_);
  EXPECT_GT(returned.size(), 0u);
  EXPECT_TRUE(queue_.cancel(begun_).empty());
  held_.open();
  EXPECT_EQ(not_executed(begun_), returned.size());
  EXPECT_TRUE(queue_.cancel(begun_).empty());
  queue_.close();
}

TEST_F(cancelling, changes_nothing_of_a_batch_that_the_device_runs) {
  gate second(1);
  auto const other = queue_.submit(second.holder(0), {.priority = 1});
  held_.open();
  second.await_inside(1);
  EXPECT_TRUE(queue_.cancel(other).empty());
  EXPECT_FALSE(other.ready());
  second.open();
  EXPECT_EQ(not_executed(other), 0u);
  queue_.close();
}

TEST_F(cancelling, changes_nothing_of_a_batch_that_has_run) {
  auto const one = queue_.submit(task(count_visit{others_.ref()}, {0, 1}), {.priority = 1});
  held_.open();
  one.wait();
  EXPECT_TRUE(queue_.cancel(one).empty());
  queue_.forget(one);
  EXPECT_TRUE(queue_.cancel(one).empty()) << "after forget()";
  EXPECT_EQ(not_executed(one), 0u);
  auto const none = queue_.submit(std::vector<task>());
  EXPECT_TRUE(queue_.cancel(none).empty()) << "a batch of no tasks";
  none.wait();
  queue_.close();
  EXPECT_TRUE(queue_.cancel(one).empty()) << "after close()";
}

TEST_F(cancelling, of_one_batch_fails_no_other_and_neither_wait_all_nor_close) {
  auto const other = submit_another();
  queue_.cancel(begun_);
  held_.open();
  queue_.wait_all();
  other.wait();
  queue_.close();
  EXPECT_EQ(check_visits(others_.read()), exactly_once);
}

TEST_F(cancelling, returns_the_blocks_of_a_grid_task_as_tasks_of_their_own) {
  auto const grid = queue_.submit(grid_task(task(count_visit{others_.ref()}, {0, n})));
  auto const back = queue_.cancel(grid);
  ASSERT_EQ(back.size(), n);
  held_.open();
  queue_.submit(back);
  queue_.wait_all();
  EXPECT_EQ(check_visits(others_.read()), exactly_once);
}

TEST_F(cancelling, is_remembered_after_forget_and_in_later_runs) {
  auto const count = queue_.cancel(begun_).size();
  held_.open();
  queue_.wait_all();
  queue_.forget(begun_);
  EXPECT_EQ(not_executed(begun_), count);
  queue_.close();
  queue_.start();
  EXPECT_TRUE(begun_.ready());
  EXPECT_EQ(not_executed(begun_), count);
  queue_.close();
}

TEST_F(cancelling, calls_only_continuations_that_take_the_completion) {
  auto const other = submit_another();
  std::atomic<int> of_success = 0, of_end = 0;
  auto const never = other.then([&] { ++of_success; });
  auto const called = other.then([&](completion const&) { ++of_end; });
  auto const count = queue_.cancel(other).size();
  called.wait();
  EXPECT_EQ(not_executed(never), count);
  EXPECT_EQ(of_success, 0);
  EXPECT_EQ(of_end, 1);
  held_.open();
  queue_.close();
}

TEST_F(cancelling, leaves_the_rest_to_stop_which_returns_no_task_again) {
  auto const other = submit_another();
  auto const returned = queue_.cancel(begun_);
  queue_.request_stop();
  held_.open();
  auto const rest = queue_.stop();
  EXPECT_EQ(returned.size() + rest.size() + sum(visits_), 2 * n);
  EXPECT_TRUE(queue_.cancel(other).empty()) << "stop() has returned them";
  EXPECT_TRUE(queue_.cancel(begun_).empty());
  EXPECT_THROW(other.wait(), stopped);
  queue_.start();
  queue_.submit(returned);
  queue_.submit(rest);
  queue_.close();
  EXPECT_EQ(check_visits(visits_.read()), exactly_once);
  EXPECT_EQ(check_visits(others_.read()), exactly_once);
}

TEST_F(cancelling, after_a_failure_takes_what_stop_would_return) {
  queue_.cancel(begun_);
  queue_.submit(task(fail{}), {.priority = 1});
  auto const other = submit_another();
  held_.open();
  EXPECT_THROW(other.wait(), device_lost);
  auto const returned = queue_.cancel(other);
  EXPECT_GT(returned.size(), 0u);
  std::vector<std::uint32_t> seen(n);
  for (auto const& each : returned) ++seen[each.range().first];
  for (auto const& each : queue_.stop())
    if (each.range().count == 1 && each.range().first < n) ++seen[each.range().first];
  EXPECT_EQ(check_visits(seen).duplicated, 0u);
}

TEST_F(cancelling, refuses_what_is_no_batch_of_this_run) {
  balanced_queue other({open_devices("host:1").front()}, kernels(), options());
  task_graph graph(kernels());
  graph.add(task(count_visit{others_.ref()}, {0, 1}));
  auto const of_other = other.submit(task(count_visit{others_.ref()}, {1, 1}));
  auto const of_graph = other.submit(graph);
  for (auto const& refused : {of_other, of_graph, completion(), when_all(begun_)})
    EXPECT_EQ(refused_argument([&] { queue_.cancel(refused); }), "completion");
  EXPECT_EQ(refused_argument([&] { other.cancel(of_graph); }), "completion");
  other.close();
  other.start();
  EXPECT_EQ(refused_argument([&] { other.cancel(of_other); }), "completion") << "of the last run";
  other.close();
}

TEST(cancelling_later, changes_nothing_of_a_batch_that_waits_in_the_ring_of_its_device) {
  auto options = balanced_by("fixed");
  options.fixed_batch = 20;
  options.queue.resident.blocks = 0;
  auto const core = open_devices("host:1").front();
  gate held(1);
  counted_words visits(core, 10);
  balanced_queue queue({core}, kernels(), options);
  queue.submit(held.holder(0));
  held.await_inside(1);
  auto const batch = queue.submit(visits_of(visits.ref(), 10));
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.on(0).statistics().submitted < 11 && !until.passed()) std::this_thread::yield();
  EXPECT_TRUE(queue.cancel(batch).empty());
  EXPECT_FALSE(batch.ready());
  held.open();
  EXPECT_EQ(not_executed(batch), 0u);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

/// Threads that submit and cancel while the queue ends; counts each task that came back.
class cancelling_while_it_ends : public testing::TestWithParam<std::string> {
 protected:
  static constexpr std::uint32_t threads = 2, batches = 60, of_a_batch = 40,
                                 n = threads * batches * of_a_batch;

  /// Submits its batches, and cancels every second one, its own or the other thread's.
  void submit_and_cancel(std::uint32_t thread) {
    try {
      for (std::uint32_t batch = 0; batch < batches; ++batch) {
        auto const from = (thread * batches + batch) * of_a_batch;
        auto const given =
            queue_.submit(std::span(tasks_).subspan(from, of_a_batch), {.priority = int(batch % 3)});
        accepted_ += of_a_batch;
        note(given);
        if (batch % 2 == 1) count(queue_.cancel(last_but(thread)));
      }
    } catch (error const&) {
      // The queue has been closed.
    }
  }
  void note(completion const& given) {
    std::lock_guard const hold(mutex_);
    given_.push_back(given);
  }
  completion last_but(std::uint32_t more) {
    std::lock_guard const hold(mutex_);
    return given_[given_.size() - 1 - std::min<std::size_t>(more, given_.size() - 1)];
  }
  void count(std::vector<task> const& returned) {
    std::lock_guard const hold(mutex_);
    for (auto const& each : returned) ++returned_[each.range().first];
  }
  /// How often each task ran or came back.
  std::vector<std::uint32_t> seen() {
    auto all = visits_.read();
    for (std::uint32_t i = 0; i < n; ++i) all[i] += returned_[i];
    return all;
  }

  shared_visits visits_{n};
  std::vector<task> const tasks_ = visits_of(visits_.ref(), n);
  balanced_queue queue_{devices(), kernels(), balanced_by(GetParam())};
  std::mutex mutex_;
  std::vector<completion> given_;
  std::vector<std::uint32_t> returned_ = std::vector<std::uint32_t>(n);
  std::atomic<std::uint32_t> accepted_ = 0;
};
INSTANTIATE_TEST_SUITE_P(feed_policies, cancelling_while_it_ends,
                         testing::ValuesIn(names_of(feed_policies())));

TEST_P(cancelling_while_it_ends, runs_or_returns_each_task_exactly_once_beside_close) {
  std::thread one([&] { submit_and_cancel(0); }), other([&] { submit_and_cancel(1); });
  while (accepted_ < n / 4) std::this_thread::yield();
  queue_.close();
  one.join();
  other.join();
  auto const all = seen();
  EXPECT_EQ(check_visits(all).duplicated, 0u);
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0u), accepted_);
}

TEST_P(cancelling_while_it_ends, runs_or_returns_each_task_exactly_once_beside_stop) {
  std::thread one([&] { submit_and_cancel(0); }), other([&] { submit_and_cancel(1); });
  while (accepted_ < n / 4) std::this_thread::yield();
  count(queue_.stop());
  one.join();
  other.join();
  auto const all = seen();
  EXPECT_EQ(check_visits(all).duplicated, 0u);
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0u), accepted_);
}

}  // namespace
}  // namespace ballast::test

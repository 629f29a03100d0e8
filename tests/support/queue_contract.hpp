// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/task.hpp"
#include "contract_method.hpp"
#include "is_deep_run.hpp"
#include "sanitized.hpp"
#include "test_devices.hpp"
#include "visit_report.hpp"
#include "visiting_kernels.cuh"

namespace ballast::test {

/// What every method of feeding tasks promises, each tested by the same code. Who includes this has said
/// before what contract_methods are: a testing::Types of such as contract_method.hpp describes.
template <class Method>
class every_queue : public testing::Test, public Method::place {
 protected:
  using words = typename Method::words;

  static words make_words(std::size_t size) { return words(devices().front(), size); }
  /// A visit of each word of the range, as one entry.
  static task grid_task_visits(words const& visits, block_range range) {
    auto const one = Method::visit(visits, 0);
    return grid_task(task(one.key(), range, one.arguments()));
  }
  static std::vector<task> visits_of(words const& visits, std::uint32_t first, std::uint32_t count) {
    std::vector<task> tasks;
    for (std::uint32_t i = first; i < first + count; ++i) tasks.push_back(Method::visit(visits, i));
    return tasks;
  }
};
TYPED_TEST_SUITE(every_queue, contract_methods, method_names);

/// A fifth of them under sanitizers.
inline std::uint32_t fewer(std::uint32_t tasks) { return sanitized ? tasks / 5 : tasks; }

TYPED_TEST(every_queue, executes_each_of_many_tasks_of_one_batch_exactly_once) {
  std::uint32_t const n = fewer(50'000);
  auto const visits = this->make_words(n);
  TypeParam queue;
  queue.submit(this->visits_of(visits, 0, n));
  queue.wait_all();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
}

/// Many times what a ring holds, and more on GPUs and at length.
inline std::uint32_t very_many() {
  if (sanitized) return is_deep_run() ? 200'000 : 50'000;
  return devices().front()->is_cuda() || is_deep_run() ? 2'000'000 : 500'000;
}

TYPED_TEST(every_queue, executes_each_of_very_many_tasks_exactly_once) {
  std::uint32_t const n = very_many(), batch = fewer(50'000);
  auto const visits = this->make_words(n);
  TypeParam queue(fit::large);
  for (std::uint32_t first = 0; first < n; first += batch)
    queue.submit(this->visits_of(visits, first, batch));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, executes_each_task_submitted_one_by_one_exactly_once) {
  std::uint32_t const n = fewer(10'000);
  auto const visits = this->make_words(n);
  TypeParam queue;
  for (std::uint32_t i = 0; i < n; ++i) queue.submit(this->visit(visits, i));
  queue.wait_all();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
}

TYPED_TEST(every_queue, has_nothing_to_wait_for_when_nothing_was_submitted) {
  TypeParam queue;
  queue.wait_all();
  queue.submit(std::span<task const>{});
  queue.wait_all();
  queue.close();
  EXPECT_TRUE(queue.stop().empty());
}

TYPED_TEST(every_queue, executes_a_single_task) {
  auto const visits = this->make_words(1);
  TypeParam queue;
  queue.submit(this->visit(visits, 0));
  queue.wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>{1});
  queue.close();
}

TYPED_TEST(every_queue, executes_a_few_tasks_between_waits_each_exactly_once) {
  std::uint32_t const n = 300;
  auto const visits = this->make_words(n);
  TypeParam queue;
  for (std::uint32_t first = 0, count = 1; first < n; first += count, count = count % 7 + 1) {
    count = std::min(count, n - first);
    queue.submit(this->visits_of(visits, first, count));
    queue.wait_all();
    ASSERT_EQ(visits.read()[first + count - 1], 1u);
  }
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, executes_every_block_of_a_task_of_many_blocks_once) {
  std::uint32_t const n = 3000;
  auto const visits = this->make_words(n);
  TypeParam queue;
  auto const many_blocks = [&](block_range range) {
    auto const one = this->visit(visits, 0);
    return task(one.key(), range, one.arguments());
  };
  queue.submit(many_blocks({0, 1000}));
  queue.submit(many_blocks({1000, 2000}));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, mixes_kernel_types_in_one_batch) {
  std::uint32_t const n = 500;
  auto const visits = this->make_words(n), sums = this->make_words(n * 64);
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i) {
    tasks.emplace_back(add_through_scratch{sums.ref(), i}, block_range{i, 1});
    tasks.push_back(this->long_visit(visits, i, i % 7));
  }
  TypeParam queue;
  queue.submit(tasks);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  auto const read = sums.read();
  for (std::uint32_t i = 0; i < n * 64; ++i) ASSERT_EQ(read[i], i / 64) << "word " << i;
}

TYPED_TEST(every_queue, executes_one_giant_task_among_many_tiny_ones) {
  std::uint32_t const n = 5'000;
  auto const visits = this->make_words(n);
  auto tasks = this->visits_of(visits, 0, n);
  tasks[0] = this->long_visit(visits, 0, 20'000'000);
  TypeParam queue;
  queue.submit(tasks);
  queue.wait_all();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
}

TYPED_TEST(every_queue, accepts_tasks_from_several_threads_that_also_wait) {
  std::uint32_t const threads = 4, each = 1'500;
  auto const visits = this->make_words(threads * each);
  auto const tasks = this->visits_of(visits, 0, threads * each);
  TypeParam queue;
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t t = 0; t < threads; ++t)
      submitters.emplace_back([&, t] {
        auto const mine = std::span(tasks).subspan(std::size_t(t) * each, each);
        for (std::size_t i = 0; i < each / 2; ++i) queue.submit(mine[i]);
        queue.submit(mine.subspan(each / 2));
        queue.wait_all();
      });
  }
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
}

TYPED_TEST(every_queue, works_with_the_smallest_capacity) {
  std::uint32_t const n = 1'000;
  auto const visits = this->make_words(n);
  auto const tasks = this->visits_of(visits, 0, n);
  TypeParam queue(fit::smallest);
  queue.submit(std::span(tasks).first(n / 2));
  for (auto const& one : std::span(tasks).subspan(n / 2)) queue.submit(one);
  queue.wait_all();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, gives_the_same_sums_in_whatever_order_tasks_run) {
  std::uint32_t const n = 64, rounds = 30;
  auto const sums = this->make_words(n * 64);
  TypeParam queue;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<task> tasks;
    for (std::uint32_t i = 0; i < n; ++i)
      tasks.emplace_back(add_through_scratch{sums.ref(), round}, block_range{(i * 37 + round) % n, 1});
    queue.submit(tasks);
    queue.wait_all();  // a later round sees the results of the earlier one
  }
  queue.close();
  for (auto const sum : sums.read()) ASSERT_EQ(sum, rounds * (rounds - 1) / 2);
}

TYPED_TEST(every_queue, closed_in_the_middle_still_executes_all_that_was_accepted) {
  std::uint32_t const n = fewer(20'000);
  auto const visits = this->make_words(n);
  TypeParam queue;
  queue.submit(this->visits_of(visits, 0, n));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_THROW(queue.submit(this->visit(visits, 0)), error);
  EXPECT_NO_THROW(queue.close());
}

TYPED_TEST(every_queue, executes_each_block_of_a_grid_task_exactly_once) {
  std::uint32_t const n = fewer(100'000);
  auto const visits = this->make_words(n);
  TypeParam queue;
  queue.submit(this->grid_task_visits(visits, {0, 1}));
  queue.submit(this->grid_task_visits(visits, {1, n - 1}));
  queue.wait_all();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
}

TYPED_TEST(every_queue, executes_grid_tasks_among_others_each_block_exactly_once) {
  std::uint32_t const each = 997, n = fewer(40) * each;
  auto const visits = this->make_words(n);
  std::vector<task> tasks;
  for (std::uint32_t first = 0; first < n; first += each) {
    tasks.push_back(this->visit(visits, first));
    tasks.push_back(this->grid_task_visits(visits, {first + 1, each - 1}));
  }
  TypeParam queue;
  queue.submit(tasks);
  queue.submit(std::span<task const>{});
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, executes_a_grid_task_through_the_smallest_capacity) {
  std::uint32_t const n = 2'000;
  auto const visits = this->make_words(n);
  TypeParam queue(fit::smallest);
  queue.submit(this->grid_task_visits(visits, {0, n}));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, hands_back_every_block_of_a_grid_task_that_did_not_run) {
  std::uint32_t const n = fewer(30'000), max_tries = sanitized ? 2 : 5;
  for (std::uint32_t tries = 0; tries < max_tries; ++tries) {
    auto const visits = this->make_words(n);
    auto const one = this->long_visit(visits, 0, 2'000);
    TypeParam queue;
    queue.submit(grid_task(task(one.key(), {0, n}, one.arguments())));
    queue.request_stop();
    try {
      queue.wait_all();
    } catch (stopped const&) {}
    auto const rest = queue.stop();
    auto seen = visits.read();
    for (auto const& piece : rest)
      for (std::uint32_t i = 0; i < piece.range().count; ++i) seen[piece.range().first + i] += 1;
    ASSERT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
    queue.start();
    queue.submit(rest);
    queue.close();
    ASSERT_EQ(check_visits(visits.read()), exactly_once);
  }
}

TYPED_TEST(every_queue, stopped_in_the_middle_hands_back_what_did_not_run) {
  std::uint32_t const n = 3'000;
  auto const visits = this->make_words(n);
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i) tasks.push_back(this->long_visit(visits, i, 20'000));
  TypeParam queue;
  queue.submit(tasks);
  queue.request_stop();
  try {
    queue.wait_all();  // a fast machine may have finished all of it
  } catch (stopped const&) {}
  auto const rest = queue.stop();
  auto seen = visits.read();
  for (auto const& one : rest) seen[one.range().first] += 1;
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
  EXPECT_TRUE(queue.stop().empty());
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TYPED_TEST(every_queue, refuses_what_it_cannot_run_and_says_what_is_legal) {
  auto const visits = this->make_words(2);
  TypeParam queue;
  std::vector<task> tasks{this->visit(visits, 0), task(count_visit{visits.ref()}, {1, 0})};
  try {
    queue.submit(tasks);
    FAIL() << "an empty block range was accepted";
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "count");
    EXPECT_EQ(refused.value(), "0");
  }
  struct stranger : count_visit {};
  EXPECT_THROW(queue.submit(task(stranger{count_visit{visits.ref()}})), bad_argument);
  queue.close();
  EXPECT_EQ(visits.read(), (std::vector<std::uint32_t>{0, 0}));
}

TYPED_TEST(every_queue, tells_its_state_when_a_deadline_passes) {
  typename TestFixture::gate held(1);
  auto const visits = this->make_words(1);
  TypeParam queue;
  queue.submit(held.holder(0));
  held.await_inside(1);
  queue.submit(this->visit(visits, 0));
  try {
    queue.wait_all(deadline::in(std::chrono::milliseconds(30)));
    ADD_FAILURE() << "a task at the gate finished";
  } catch (timed_out const& passed) {
    for (auto const& name : this->names_in_state())
      EXPECT_NE(passed.state().find(name), std::string::npos) << passed.state();
  }
  held.open();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

}  // namespace ballast::test

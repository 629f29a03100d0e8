// SPDX-License-Identifier: Apache-2.0
#include "backlog.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Two threads take from it, for a device each.
class backlog_of_two : public testing::Test {
 protected:
  void SetUp() override {
    tasks_.enter();
    tasks_.enter();
  }
  /// The number of a batch of so many tasks.
  std::uint64_t add(std::uint32_t count, int priority = 0) {
    auto const number = tasks_.end();
    tasks_.add(std::make_shared<prepared_tasks const>(kernels(), visits_of({}, count)), priority);
    return number;
  }
  /// The batches of the tasks that devices take in turn until none is left, one at a time.
  std::vector<std::uint64_t> batches_of_all() {
    std::vector<std::uint64_t> numbers;
    while (auto const piece = tasks_.take(numbers.size() % 2, 1)) numbers.push_back(piece->batch->number);
    return numbers;
  }
  void fail() { tasks_.fail(std::make_exception_ptr(std::runtime_error("planted"))); }

  backlog tasks_{2};
};

TEST_F(backlog_of_two, names_the_kernel_of_the_oldest_batch_of_which_tasks_are_left) {
  EXPECT_EQ(tasks_.next_kernel(), 0u);
  std::vector const others{task(spin_then_mark{}, {0, 1})};
  prepared_tasks const visits(kernels(), visits_of({}, 1)), spins(kernels(), others);
  auto const first = visits.records().front().kernel(), second = spins.records().front().kernel();
  ASSERT_NE(first, second);
  add(2);
  tasks_.add(std::make_shared<prepared_tasks const>(kernels(), others));
  tasks_.take(0, 1);
  EXPECT_EQ(tasks_.next_kernel(), first);
  tasks_.take(1, 1);
  EXPECT_EQ(tasks_.next_kernel(), second);
}

TEST_F(backlog_of_two, ends_a_batch_of_which_a_piece_was_given_back_though_others_take) {
  auto const batch = add(10);
  auto const piece = tasks_.take(0, 10);
  fail();
  EXPECT_FALSE(tasks_.has_ended(batch)) << "a device has it";
  tasks_.give_back(*piece);
  tasks_.leave();
  EXPECT_TRUE(tasks_.has_ended(batch)) << "nobody takes what was given back";
}

TEST_F(backlog_of_two, tells_the_end_of_a_batch_of_which_a_piece_was_given_back_before) {
  auto const batch = add(10);
  auto const given_back = tasks_.take(0, 5), runs = tasks_.take(1, 5);
  tasks_.give_back(*given_back);
  fail();
  auto const seen = tasks_.changed().epoch();
  EXPECT_FALSE(tasks_.has_ended(batch));
  tasks_.finish(*runs, 1, {});
  EXPECT_NE(tasks_.changed().epoch(), seen) << "who waits looks again";
  EXPECT_TRUE(tasks_.has_ended(batch));
}

TEST_F(backlog_of_two, does_not_end_a_batch_of_which_more_can_be_taken) {
  auto const batch = add(10);
  auto const piece = tasks_.take(0, 5);
  tasks_.give_back(*piece);
  fail();
  EXPECT_FALSE(tasks_.has_ended(batch));
}

TEST_F(backlog_of_two, lets_nobody_sleep_for_a_batch_that_has_finished_or_after_a_failure) {
  auto const batch = add(2);
  auto const first = tasks_.take(0, 1), second = tasks_.take(1, 1);
  tasks_.finish(*first, 1, {});
  tasks_.finish(*second, 1, {});
  auto const until = deadline::in(std::chrono::minutes(1));
  tasks_.sleep_until_finished(batch, until);
  EXPECT_FALSE(until.passed());
  auto const never_taken = add(1);
  fail();
  tasks_.sleep_until_finished(never_taken, until);
  EXPECT_FALSE(until.passed());
}

TEST_F(backlog_of_two, says_how_many_batches_one_that_has_ended_can_have_overtaken) {
  for (int i = 0; i < 3; ++i) add(2);
  EXPECT_EQ(tasks_.max_overtaken(), 0u);
  auto const first = tasks_.take(0, 2), half = tasks_.take(1, 1);
  EXPECT_EQ(tasks_.max_overtaken(), 2u);
  auto const rest = tasks_.take(1, 1);
  tasks_.finish(*half, 1, {});
  tasks_.finish(*rest, 1, {});
  EXPECT_EQ(tasks_.max_overtaken(), 1u);
  fail();
  EXPECT_GT(tasks_.max_overtaken(), 3u) << "what nobody has begun ends as well";
}

TEST_F(backlog_of_two, gives_batches_of_a_higher_priority_first_and_equal_ones_in_order) {
  auto const usual = add(2), low = add(1, -1), high = add(2, 5), also_usual = add(1), highest = add(1, 6),
             also_high = add(1, 5);
  using numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(batches_of_all(), (numbers{highest, high, high, also_high, usual, usual, also_usual, low}));
}

TEST_F(backlog_of_two, goes_on_with_a_batch_that_has_begun_after_one_of_a_higher_priority) {
  auto const begun = add(3);
  tasks_.take(0, 1);
  auto const high = add(1, 1);
  EXPECT_EQ(batches_of_all(), (std::vector<std::uint64_t>{high, begun, begun}));
}

TEST_F(backlog_of_two, expects_that_a_batch_of_a_higher_priority_overtakes_any_number_until_all_have_begun) {
  for (int i = 0; i < 3; ++i) add(1);
  add(1, 1);
  auto const high = tasks_.take(0, 1);
  tasks_.finish(*high, 0, {});
  EXPECT_GE(tasks_.max_overtaken(), 3u);
  for (int i = 0; i < 3; ++i) tasks_.take(1, 1);
  add(1);
  EXPECT_EQ(tasks_.max_overtaken(), 3u);
}

TEST_F(backlog_of_two, cancels_what_no_device_has_of_a_batch_and_ends_it_with_the_last_piece) {
  auto const batch = add(10), other = add(3);
  auto const first = tasks_.take(0, 4), second = tasks_.take(1, 1);
  auto const returned = tasks_.cancel(batch, kernels());
  ASSERT_EQ(returned.size(), 5u);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(returned[i].range().first, 5 + i);
  EXPECT_EQ(tasks_.waiting(), 3u);
  EXPECT_EQ(tasks_.unfinished(), 8u);
  EXPECT_EQ(batches_of_all(), std::vector(3, other)) << "nothing else is taken of it";
  tasks_.finish(*first, 0, {});
  EXPECT_FALSE(tasks_.has_ended(batch));
  auto const seen = tasks_.changed().epoch();
  tasks_.finish(*second, 1, {});
  EXPECT_NE(tasks_.changed().epoch(), seen) << "who waits looks again";
  EXPECT_TRUE(tasks_.has_ended(batch));
  EXPECT_THROW(tasks_.check_not_cancelled(batch), stopped);
  EXPECT_NO_THROW(tasks_.check_not_cancelled(other));
  EXPECT_TRUE(tasks_.take_all(kernels()).empty());
}

TEST_F(backlog_of_two, ends_a_batch_at_once_that_is_cancelled_when_devices_have_run_their_pieces) {
  auto const batch = add(4);
  auto const piece = tasks_.take(0, 1);
  tasks_.finish(*piece, 0, {});
  auto const seen = tasks_.changed().epoch();
  EXPECT_EQ(tasks_.cancel(batch, kernels()).size(), 3u);
  EXPECT_NE(tasks_.changed().epoch(), seen);
  EXPECT_TRUE(tasks_.has_ended(batch));
  EXPECT_EQ(tasks_.max_overtaken(), 0u) << "no batch has begun and not finished";
}

TEST_F(backlog_of_two, cancels_a_piece_that_was_given_back) {
  auto const batch = add(4);
  auto const piece = tasks_.take(0, 4);
  tasks_.give_back(*piece);
  EXPECT_EQ(tasks_.cancel(batch, kernels()).size(), 4u);
  EXPECT_EQ(tasks_.waiting(), 0u);
  EXPECT_TRUE(tasks_.has_ended(batch));
  EXPECT_TRUE(tasks_.take_all(kernels()).empty());
}

TEST_F(backlog_of_two, expects_that_a_cancelled_batch_overtakes_those_that_have_not_begun) {
  for (int i = 0; i < 3; ++i) add(1);
  auto const last = add(1);
  tasks_.cancel(last, kernels());
  EXPECT_GE(tasks_.max_overtaken(), 3u);
}

TEST_F(backlog_of_two, cancels_no_task_that_stop_has_returned) {
  auto const batch = add(4);
  EXPECT_EQ(tasks_.take_all(kernels()).size(), 4u);
  EXPECT_TRUE(tasks_.cancel(batch, kernels()).empty());
  EXPECT_EQ(tasks_.unfinished(), 4u);
}

TEST(backlog_in_parts, learns_nothing_from_a_cancelled_batch) {
  std::uint32_t const n = 1'000;
  backlog tasks(2, 2);
  auto const add = [&] {
    tasks.add(std::make_shared<prepared_tasks const>(kernels(), visits_of({}, n)));
    return tasks.end() - 1;
  };
  auto const cancelled = add();
  auto const piece = tasks.take(0, 100);
  tasks.cancel(cancelled, kernels());
  tasks.finish(*piece, 0, {.first_begin_ns = 1, .last_end_ns = 2, .work_ns = 1'000'000});
  add();
  EXPECT_EQ(tasks.take(0, n)->count, n / 2) << "equal parts";
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
// The count of pending tasks by which workers see that a run is over, as pool_view::flush_counts() keeps it:
// a model, in which a root creates two tasks, shows one to another worker, and runs the other.

#include <gtest/gtest.h>

#include <utility>

#include "explorer.hpp"

namespace ballast::test::pending_count_test {
namespace {

struct shared {
  std::uint32_t pending = 1;  // the root
  std::uint32_t shown = 0;    // a task that the other worker may take
  std::uint32_t left = 0;     // tasks that have not run, the truth
};
using exploration = explorer<shared>;
using word = explored_atomic<std::uint32_t>;

constexpr std::uint32_t one_less = ~0u;

/// Waits until the count says that the run is over; returns how many tasks are left then.
exploration::taken leave(shared& memory) {
  while (word(memory.pending).load_relaxed() != 0) running_thread->wait();
  return {word(memory.left).load_relaxed()};
}

/// Runs the root, of whose two children it shows one, and runs the other.
exploration::program owner(bool flushes_first) {
  return [=](shared& memory) {
    word const pending(memory.pending), shown(memory.shown), left(memory.left);
    std::uint32_t delta = 2 - 1;  // two were created, one has finished
    left.store_relaxed(2);
    if (flushes_first) pending.add_relaxed(std::exchange(delta, 0));
    shown.store_release(1);
    left.add_relaxed(one_less);
    delta += one_less;
    pending.add_relaxed(delta);  // it has nothing in its stack
    return leave(memory);
  };
}

/// Takes what is shown and runs it.
exploration::taken thief(shared& memory) {
  while (word(memory.shown).load_acquire() == 0) running_thread->wait();
  word(memory.left).add_relaxed(one_less);
  word(memory.pending).add_relaxed(one_less);
  return leave(memory);
}

exploration::report explored(bool flushes_first) {
  auto const nobody_left_early = [](shared& memory, exploration::taken const& tasks_left) {
    return tasks_left == exploration::taken{0, 0} && memory.pending == 0;
  };
  return exploration({}, {owner(flushes_first), thief}, nobody_left_early).explore();
}

TEST(pending_count, is_zero_only_when_no_task_is_left_if_tasks_are_counted_before_they_are_shown) {
  EXPECT_TRUE(always_right(explored(true)));
}

TEST(pending_count, lets_a_worker_leave_before_the_end_if_tasks_are_shown_before_they_are_counted) {
  auto const report = explored(false);
  EXPECT_GT(report.failures, 0u);
  EXPECT_EQ(report.deadlocks, 0u);
}

}  // namespace
}  // namespace ballast::test::pending_count_test

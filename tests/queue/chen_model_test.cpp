// SPDX-License-Identifier: Apache-2.0
#include "chen_model.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "ballast/detail/queue/chen_source.cuh"

namespace ballast::test {
using namespace detail;
namespace {

/// Two blocks, three tasks: the smallest set in which a queue is refilled and a slow block can meet the
/// refill.
chen_model small(bool last_reports, bool awaits_the_refill) {
  return {.queues = 1,
          .size = 2,
          .blocks = 2,
          .tasks = 3,
          .last_reports = last_reports,
          .awaits_the_refill = awaits_the_refill};
}
chen_verdict verdict_on(chen_model const& model) { return every_order(model).verdict(); }

TEST(chen_algorithms_as_printed, never_end_since_no_block_reports_an_empty_queue) {
  auto const printed = verdict_on(small(false, false));
  EXPECT_GT(printed.states, 100u);
  EXPECT_EQ(printed.hung, printed.states);
  EXPECT_EQ(printed.ends, 0u);
}

TEST(chen_algorithms_as_printed, with_line_13_mended_alone_hang_in_some_orders_and_lose_tasks_in_others) {
  auto const half_mended = verdict_on(small(true, false));
  EXPECT_GT(half_mended.ends, half_mended.wrong_ends);
  EXPECT_GT(half_mended.hung, 0u);
  EXPECT_GT(half_mended.wrong_ends, 0u);
}

TEST(chen_algorithms_as_printed, with_line_9_mended_alone_never_end) {
  auto const half_mended = verdict_on(small(false, true));
  EXPECT_EQ(half_mended.hung, half_mended.states);
}

TEST(chen_algorithms_mended, end_in_every_order_and_run_each_task_once) {
  for (auto const& [queues, size, blocks, tasks] : std::vector<std::array<std::int8_t, 4>>{
           {1, 1, 1, 3}, {1, 2, 2, 3}, {1, 1, 3, 2}, {2, 1, 2, 3}, {2, 2, 2, 3}}) {
    chen_model const model{queues, size, blocks, tasks, true, true};
    auto const mended = verdict_on(model);
    EXPECT_GT(mended.ends, 0u);
    EXPECT_EQ(mended.wrong_ends, 0u) << int(queues) << " queues of " << int(size);
    EXPECT_EQ(mended.hung, 0u) << int(queues) << " queues of " << int(size);
  }
}

/// Stands for a block whose every rest is the test's turn, so that the order of things is chosen.
struct scripted_worker_group {
  std::function<void()> on_rest;
  task_record into{};

  std::uint32_t block() const { return 0; }
  task_record& record() { return into; }
  void back_off(std::uint32_t) const { on_rest(); }
};

/// A block that passed line 4 while the refill before had a task left, and goes on only now.
struct late_block : chen_source_ref {
  bool goes_on(scripted_worker_group& worker_group) { return take(worker_group); }
};

/// A late block, and a refill of which d_n is there, the task and d_written are not.
struct half_refill {
  chen_counts counts{};
  std::array<std::uint64_t, 16> load{1};
  std::array<std::uint64_t, 1> activities{}, stop{}, consumed{7};
  std::uint32_t asked = 0;
  late_block block;

  half_refill() {
    counts.written = counts.consumed = 7;
    block.counts = &counts;
    block.loads = load.data();
    block.stop = stop.data();
    block.consumed = consumed.data();
    block.control.activity = activities.data();
    block.control.stop = &asked;
    block.queues = 1;
    block.stride = 16;
  }
};

TEST(chen_source, waits_after_a_claim_until_the_host_says_that_the_refill_is_complete) {
  half_refill refill;
  refill.asked = 1;
  int rests = 0;
  scripted_worker_group worker_group{[&] {
    EXPECT_EQ(refill.counts.consumed, 7u);
    if (++rests < 3000) return;
    refill.load[chen_load_head] = 0x1234;
    refill.counts.written = 8;
  }};
  ASSERT_TRUE(refill.block.goes_on(worker_group)) << "a stop does not end a refill";
  EXPECT_EQ(rests, 3000);
  EXPECT_EQ(worker_group.into.data[0], 0x1234u);
  EXPECT_EQ(refill.counts.consumed, 8u);
  EXPECT_EQ(refill.consumed[0], 8u) << "the last task was taken and the host not told";
}

TEST(chen_source, does_not_wait_for_a_refill_that_the_host_will_never_complete) {
  half_refill refill;
  int rests = 0;
  scripted_worker_group worker_group{[&] {
    if (++rests == 10) refill.asked = resident_control::fed_no_more;
    if (rests == 10'000) refill.counts.written = 8;  // or it would wait for ever
  }};
  EXPECT_FALSE(refill.block.goes_on(worker_group));
  EXPECT_EQ(refill.counts.consumed, 7u);
  EXPECT_EQ(refill.load[0], 0u);
}

/// A block that finds no task.
struct idle_block : chen_source_ref {
  bool leaves_by(std::uint32_t looks) const {
    for (std::uint32_t look = 0; look < looks; ++look)
      if (should_leave(look)) return true;
    return false;
  }
};

TEST(chen_source, leaves_when_it_is_asked_to_and_not_for_having_found_nothing) {
  std::uint64_t told_to_all = 0;
  std::uint32_t asked = 0;
  idle_block block;
  block.stop = &told_to_all;
  block.control.stop = &asked;
  EXPECT_FALSE(block.leaves_by(10'000));
  EXPECT_EQ(told_to_all, 0u) << "all others of the device would leave";
  asked = 1;
  EXPECT_TRUE(block.leaves_by(10'000));
  EXPECT_EQ(told_to_all, 1u) << "the others of the device do not hear of it";
}

}  // namespace
}  // namespace ballast::test

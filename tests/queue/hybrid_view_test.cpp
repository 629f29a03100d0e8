// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/queue/hybrid_view.cuh"

#include <gtest/gtest.h>

#include "ballast/detail/base/event_count.hpp"

namespace ballast::test::hybrid_view_test {
using namespace detail;
namespace {

/// One of four workers on cores, and the ring that the host's tasks come through.
class hybrid_view_of_a_worker : public testing::Test {
 protected:
  static constexpr std::uint32_t shift = 9, tasks = 1u << shift, stack_capacity = 16;

  void SetUp() override {
    control_.stop = &stop_;
    view_.words = &pool_;
    view_.workers = 4;
    view_.stacks = stacks_.data();
    view_.stack_capacity = stack_capacity;
    view_.source.words = &words_;
    view_.source.ring = ring_.data();
    view_.source.released = released_.data();
    view_.source.shift = shift;
    view_.source.batch_shift = 1;
    view_.counters = counters_;
    view_.source.worker_wake_event = view_.source.host_wake_event = &wake_event_;
  }

  /// Tasks whose first word is their ticket: so many of batch 0, then others of batch 1.
  void wait_in_ring(std::uint32_t count, std::uint32_t of_first_batch = tasks) {
    for (std::uint32_t ticket = 0; ticket < count; ++ticket) {
      task_record record{};
      record.data[0] = ticket;
      record.describe({0, 1}, 0);
      batch_mark mark;
      mark.slot = ticket < of_first_batch ? 0 : 1;
      mark.credit = -1u;
      for (int chunk = 0; chunk < 4; ++chunk)
        ring_[ticket].chunks[chunk] = make_chunk(record, mark, chunk, lap_of(ticket, shift));
    }
    words_.ready = count;
  }
  /// By a worker that runs so many together, after tasks that were brief, or not.
  std::uint32_t taken_of(std::uint32_t waiting, std::uint32_t tasks_at_once, bool were_brief = true) {
    words_ = {};
    released_.assign(tasks, 0);
    wait_in_ring(waiting);
    view_.tasks_at_once = tasks_at_once;
    hybrid_worker me{};
    me.were_brief = were_brief;
    EXPECT_TRUE(view_.take_waiting(me));
    auto const taken = me.held() + me.claimed;
    EXPECT_EQ(words_.ready, waiting - taken);
    EXPECT_EQ(words_.head, taken);
    return taken;
  }
  /// A worker that has claimed eight.
  hybrid_worker with_eight_claimed(std::uint32_t of_first_batch = tasks) {
    wait_in_ring(4 * 16, of_first_batch);
    hybrid_worker me{};
    me.were_brief = true;
    view_.take_waiting(me);
    EXPECT_EQ(me.claimed, 8u);
    return me;
  }
  /// The tickets of tasks that a stop would not hand back.
  std::vector<std::uint32_t> begun() const {
    std::vector<std::uint32_t> tickets;
    for (std::uint32_t ticket = 0; ticket < tasks; ++ticket)
      if (released_[ticket] != 0) tickets.push_back(ticket);
    return tickets;
  }
  bool waits_on() {
    hybrid_worker me{};
    return view_.wait_for_work(worker_group_, control_, me);
  }

  hybrid_view view_;
  resident_control control_;
  ring_words words_{};
  pool_words pool_{};
  std::uint32_t stop_ = 0;
  host_block_context context_;
  host_worker worker_group_{context_};
  std::uint64_t counters_[2] = {};

 private:
  std::vector<task_slot> ring_{tasks};
  std::vector<std::uint32_t> released_ = std::vector<std::uint32_t>(tasks);
  std::vector<stored_task> stacks_{stack_capacity};
  event_count wake_event_;
};

TEST_F(hybrid_view_of_a_worker, hears_of_a_stop_from_the_host_alone_and_from_the_server_alone) {
  EXPECT_FALSE(view_.stop_requested(worker_group_, control_));
  stop_ = 1;
  EXPECT_TRUE(view_.stop_requested(worker_group_, control_));
  EXPECT_FALSE(waits_on());
  stop_ = 0;
  words_.status[0].word = server_status{.stop = true}.word();
  EXPECT_TRUE(view_.stop_requested(worker_group_, control_));
  EXPECT_FALSE(waits_on());
}

TEST_F(hybrid_view_of_a_worker,
       that_finds_no_task_leaves_when_no_more_will_come_and_when_the_pool_is_called_off) {
  words_.status[0].word = server_status{.ended = true}.word();
  EXPECT_FALSE(waits_on());
  words_.status[0].word = 0;
  pool_.halt = std::uint32_t(pool_halt::out_of_room);
  EXPECT_FALSE(waits_on());
}

TEST_F(hybrid_view_of_a_worker,
       that_runs_one_task_at_a_time_claims_half_of_what_waits_for_each_and_at_most_eight) {
  EXPECT_EQ(taken_of(1, 1), 1u);
  EXPECT_EQ(taken_of(4 * 3, 1), 1u);
  EXPECT_EQ(taken_of(4 * 8, 1), 4u);
  EXPECT_EQ(taken_of(4 * 16, 1), 8u);
  EXPECT_EQ(taken_of(4 * 128, 1), 8u);
}

TEST_F(hybrid_view_of_a_worker, whose_last_tasks_were_long_claims_one_however_many_wait) {
  EXPECT_EQ(taken_of(4 * 128, 1, false), 1u);
}

TEST(claim_rule, leaves_every_other_worker_as_much_as_one_claims) {
  for (std::uint32_t each = 2; each < 1000; ++each)
    EXPECT_LE(claim_rule{}.tasks(each, true), each - each / 2);
}

TEST(claim_rule, calls_tasks_brief_that_took_less_than_its_limit_in_the_mean) {
  EXPECT_TRUE(claim_rule{}.are_brief(8 * claim_rule{}.brief_ns - 1, 8));
  EXPECT_FALSE(claim_rule{}.are_brief(claim_rule{}.brief_ns, 1));
}

TEST_F(hybrid_view_of_a_worker, that_claimed_several_begins_them_in_turn_and_a_stop_hands_the_others_back) {
  auto me = with_eight_claimed();
  EXPECT_TRUE(begun().empty());
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(view_.has_at_hand(me));
    ASSERT_TRUE(view_.begin_at_hand(worker_group_, me));
    EXPECT_EQ(worker_group_.record().data[0], i);
  }
  EXPECT_EQ(begun(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(me.held(), 0u);
  EXPECT_EQ(counters_[0], 0u) << "told when the worker has no more of the batch, or others see some of it";
  me.delta -= 3;  // they have run
  view_.flush_counts(me);
  EXPECT_EQ(counters_[0], std::uint64_t(-3u) << 32);
  EXPECT_EQ(me.claimed, 5u);
}

TEST_F(hybrid_view_of_a_worker, that_begins_a_task_of_another_batch_has_counted_those_before) {
  auto me = with_eight_claimed(2);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(view_.begin_at_hand(worker_group_, me));
  EXPECT_EQ(counters_[0], 0u);
  ASSERT_TRUE(view_.begin_at_hand(worker_group_, me));
  EXPECT_EQ(counters_[0], (std::uint64_t(-2u) << 32) + 2) << "two are begun and have not finished";
}

TEST_F(hybrid_view_of_a_worker,
       whose_task_created_others_puts_what_it_claimed_of_the_batch_where_it_is_shared) {
  auto me = with_eight_claimed(4);
  ASSERT_TRUE(view_.begin_at_hand(worker_group_, me));
  view_.put_below(worker_group_, me);
  auto const stack = view_.stack_of(0);
  ASSERT_EQ(me.held(), 3u);
  EXPECT_EQ(stack[me.end - 1].record.data[0], 1u) << "the oldest are shared first";
  EXPECT_EQ(stack[me.begin].record.data[0], 3u);
  EXPECT_EQ(begun(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(me.claimed, 4u) << "those of the other batch";
}

TEST_F(hybrid_view_of_a_worker, fills_no_more_than_half_of_its_stack_with_what_it_claimed) {
  view_.stack_capacity = 8;
  auto me = with_eight_claimed();
  me.end = 2;  // children
  view_.put_below(worker_group_, me);
  EXPECT_EQ(me.held(), 4u);
  EXPECT_EQ(me.claimed, 6u);
}

TEST_F(hybrid_view_of_a_worker,
       that_runs_many_tasks_together_takes_as_many_where_that_leaves_as_many_for_others) {
  EXPECT_EQ(taken_of(3, 8), 1u);
  EXPECT_EQ(taken_of(4 * 3, 8), 3u);
  EXPECT_EQ(taken_of(4 * 8, 8), 8u);
  EXPECT_EQ(taken_of(4 * 100, 8), 8u);
}

}  // namespace
}  // namespace ballast::test::hybrid_view_test

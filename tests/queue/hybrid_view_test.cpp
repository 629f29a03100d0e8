// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/queue/hybrid_view.cuh"

#include <gtest/gtest.h>

#include "ballast/detail/base/event_count.hpp"
#include "sanitized.hpp"

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
    view_.source.worker_wake_event = view_.source.host_wake_event = &wake_event_;
  }

  void wait_in_ring(std::uint32_t count) {
    for (std::uint32_t ticket = 0; ticket < count; ++ticket)
      for (int chunk = 0; chunk < 4; ++chunk)
        ring_[ticket].chunks[chunk] = make_chunk(task_record{}, batch_mark{}, chunk, lap_of(ticket, shift));
    words_.ready = count;
  }
  /// By a worker that runs so many together.
  std::uint32_t taken_of(std::uint32_t waiting, std::uint32_t tasks_at_once) {
    words_ = {};
    wait_in_ring(waiting);
    view_.tasks_at_once = tasks_at_once;
    hybrid_worker me{};
    EXPECT_TRUE(view_.take_waiting(me));
    EXPECT_EQ(words_.ready, waiting - me.held());
    return me.held();
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

TEST_F(hybrid_view_of_a_worker, calls_the_pool_off_where_a_task_that_it_was_promised_never_comes) {
  if (sanitized) GTEST_SKIP() << "counts to where it gives up, which takes long";
  words_.ready = 1;
  hybrid_worker me{};
  EXPECT_FALSE(view_.take_waiting(me));
  EXPECT_EQ(me.held(), 0u);
  EXPECT_EQ(pool_halt(pool_.halt), pool_halt::stalled);
}

TEST_F(hybrid_view_of_a_worker, that_runs_one_task_at_a_time_takes_one_however_many_wait) {
  EXPECT_EQ(taken_of(1, 1), 1u);
  EXPECT_EQ(taken_of(tasks, 1), 1u);
}

TEST_F(hybrid_view_of_a_worker, counts_tasks_together_until_the_ring_has_none_for_it) {
  std::uint64_t pending = 0;
  view_.counters = &pending;
  view_.tasks_at_once = 1;
  wait_in_ring(2);
  hybrid_worker me{};
  for (int task = 0; task < 2; ++task) {
    EXPECT_TRUE(view_.take_waiting(me));
    me.end = me.begin;
    view_.on_empty(me);
    EXPECT_EQ(pending, 0u);
  }
  EXPECT_FALSE(view_.take_waiting(me));
  EXPECT_EQ(pending, 2u);
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

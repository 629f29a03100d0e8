// SPDX-License-Identifier: Apache-2.0
// Pools over several devices: what is refused, and how workers of two devices send each other tasks and
// joins.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "ballast/detail/pool/join_cache.cuh"
#include "ballast/detail/pool/peer_view.cuh"
#include "ballast/detail/pool/pool_list.cuh"
#include "ballast/error.hpp"
#include "ballast/task_pool.hpp"
#include "pool_device.hpp"
#include "refused_argument.hpp"
#include "stepped_workers.hpp"
#include "tree_kernels.cuh"

namespace ballast::test::pool_devices_test {
using namespace detail;
namespace {

TEST(pool_over_devices, is_refused_for_no_device_too_many_and_other_methods) {
  auto const pool_on = [](device_list const& on, std::string const& method) {
    return refused_argument([&] { task_pool(on, tree_kernels_of_blocks(), pool_by(method)); });
  };
  EXPECT_EQ(pool_on({}, "chunks"), "devices");
  EXPECT_EQ(pool_on(device_list(17, device()), "chunks"), "devices");
  EXPECT_EQ(pool_on({device(), nullptr}, "chunks"), "devices");
  EXPECT_EQ(pool_on(pool_devices(2), "abp"), "method");
  EXPECT_EQ(pool_on(pool_devices(2), "static"), "method");
  EXPECT_EQ(pool_on(pool_devices(2), "chunks"), "nothing");
}

TEST(pool_over_devices, is_refused_for_more_joins_than_its_handles_can_name) {
  auto const pool_of = [](std::uint32_t joins) {
    return refused_argument(
        [&] { task_pool(pool_devices(2), joining_kernels_of_blocks(), pool_by("chunks", 1024, joins)); });
  };
  EXPECT_EQ(pool_of(1u << 28), "joins");
  EXPECT_EQ(pool_of(max_joins_of_device), "joins") << "each worker has some beside these";
  EXPECT_EQ(pool_of(1000), "nothing");
}

TEST(pool_over_devices, of_a_set_for_one_device_says_what_to_list) {
  try {
    task_pool(pool_devices(2), kernels_of_the_default_method());
    FAIL() << "nothing was thrown";
  } catch (error const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("for_pools_over_devices"), std::string::npos);
  }
}

TEST(pool_over_devices, tells_of_the_workers_of_all) {
  task_pool pool(pool_devices(2), tree_kernels_of_blocks(), pool_by("chunks"));
  EXPECT_EQ(pool.run(std::vector<task>()).workers.size(), pool.workers());
  EXPECT_GE(pool.workers(), 2u);
  EXPECT_EQ(pool.devices().size(), 2u);
}

TEST(pool_over_devices, ends_when_any_of_them_is_lost) {
  if (device()->is_cuda()) GTEST_SKIP() << "a lost GPU is lost to the tests that follow";
  for (std::size_t const position : {0u, 1u}) {
    task_pool pool(open_devices("host:1,host:1"), faulty_kernels(), pool_by("chunks"));
    std::vector<task> roots(2, task(idler{}));
    roots[position] = task(faulty{});
    EXPECT_THROW(pool.run(roots, deadline::in(std::chrono::hours(1))), device_lost);
  }
}

/// One worker on each of two devices of cores, which do what the test tells them.
class two_workers : public testing::Test {
 protected:
  struct one {
    stepped_workers memory{1};
    peer_worker me{};
    peer_words words{};
    std::uint32_t mail = 0;
    worker_gift gift{};
    tagged_deque_words published{};
    chunks_ref::public_deque::slot slots[2] = {};
    join_record joins[12] = {};  // of which tasks may make two
    std::uint32_t joins_used = 0, cache[8 + max_joins_taken] = {};
    ring_queue_words returned{};
    ring_slot<std::uint32_t> returned_slots[4] = {};
    homing_words homing{}, to_run{};
    peer_view view;
  };

  two_workers() {
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto& at = all_[i];
      at.me.random = i + 1;
      at.words.idle = 1;
      static_cast<pool_view&>(at.view) = at.memory.view;
      at.view.method.public_deques = &at.published;
      at.view.method.slots = at.slots;
      at.view.method.public_deque_capacity = 2;
      at.view.own = i;
      at.view.devices = 2;
      at.view.joins = {at.joins, &at.joins_used, {&at.returned, at.returned_slots, 4}, at.cache, 2, 8, 1};
      for (auto& other : all_)
        other.view.peers[i] = {&at.words, &at.mail, &at.gift, 1, at.joins, &at.to_run, &at.homing, 1};
    }
    control_.stop = &stop_;
  }

  void create(std::uint32_t on, std::vector<std::uint32_t> const& numbers) {
    auto& at = all_[on];
    for (auto const number : numbers) at.view.stack_of(0)[at.me.end++] = task_with(number);
    at.me.delta += std::uint32_t(numbers.size());
    at.view.flush_counts(at.me);
  }
  std::vector<std::uint32_t> held_on(std::uint32_t on) const {
    auto const& me = all_[on].me;
    std::vector<std::uint32_t> numbers;
    for (auto place = me.begin; place != me.end; ++place)
      numbers.push_back(all_[on].view.stack_of(0)[place].record.data[0]);
    return numbers;
  }
  void run_all(std::uint32_t on) {
    auto& at = all_[on];
    at.me.delta -= at.me.held();
    at.me.begin = at.me.end;
    at.view.flush_counts(at.me);
  }
  bool search(std::uint32_t on) { return all_[on].view.wait_for_work(worker_, control_, all_[on].me); }
  void look_between_tasks(std::uint32_t on) { all_[on].view.hand_out(worker_, all_[on].me); }
  std::uint32_t pending_on(std::uint32_t on) { return all_[on].view.pending().load_relaxed(); }

  using kernels = pool_list<fibonacci<64>, fibonacci_sum<64>>;

  /// Fibonacci's number n, for answer_.
  void create_fibonacci(std::uint32_t on, std::uint32_t n) {
    fibonacci<64> const root{array_ref<std::uint64_t>(&answer_), {}, n};
    stored_task created{};
    __builtin_memcpy(created.record.data, &root, sizeof root);
    created.record.describe({0, 1}, 0);
    auto& at = all_[on];
    at.view.stack_of(0)[at.me.end++] = created;
    ++at.me.delta;
    at.view.flush_counts(at.me);
  }
  /// False: there is none, or no record for its join.
  bool run_newest(std::uint32_t on) {
    auto& view = all_[on].view;
    auto& me = all_[on].me;
    if (me.held() == 0 || !reserve_joins(worker_, view, me, kernels::max_joins, kernels::max_joins))
      return false;
    auto const record = view.stack_of(0)[--me.end].record;
    auto const first = me.end;
    me.limit = first + kernels::room_for(record);
    kernels::run_first_block<host_block>(record, worker_.place(),
                                         stack_sink<peer_joins>(view.stack_of(0), me, view.joins_of_tasks()));
    refill_join_cache(worker_, view, me);
    count_joins(view, me, kernels::max_joins);
    me.delta += me.end - first - 1;
    view.flush_counts(me);
    return true;
  }
  /// The older half of the stack, to one that has none.
  void send(std::uint32_t from, std::uint32_t to) {
    while (all_[to].me.held() == 0) {
      ASSERT_TRUE(search(to));
      look_between_tasks(from);
    }
  }
  /// Number 2 on device 0, one of whose two children runs on device 1, the later of both.
  void run_two_with_the_last_child_on_the_other() {
    create_fibonacci(0, 2);
    ASSERT_TRUE(run_newest(0));
    send(0, 1);
    ASSERT_TRUE(run_newest(0));
    ASSERT_EQ(all_[0].me.held(), 0u);
    ASSERT_TRUE(run_newest(1));
  }

  std::uint64_t answer_ = 100;
  std::array<one, 2> all_;
  std::uint32_t stop_ = 0;
  host_block_context context_;
  host_worker worker_{context_};

 private:
  resident_control control_;
};

TEST_F(two_workers, of_which_one_asks_are_sent_the_older_half_of_a_stack) {
  create(0, {1, 2, 3, 4});
  EXPECT_TRUE(search(1));
  look_between_tasks(0);
  EXPECT_TRUE(search(1));
  EXPECT_EQ(held_on(0), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(held_on(1), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(pending_on(1), 2u);
  run_all(0);
  EXPECT_EQ(pending_on(0), 0u);
}

TEST_F(two_workers, of_which_neither_has_two_tasks_answer_that_there_is_none) {
  create(0, {1});
  EXPECT_TRUE(search(1));
  look_between_tasks(0);
  EXPECT_TRUE(search(1));
  EXPECT_EQ(held_on(0), (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(held_on(1).empty());
  EXPECT_EQ(all_[1].words.asking & ~is_closed, 0u);
}

/// Fruitless answers lengthen the time to the next question.
TEST_F(two_workers, ask_less_often_the_more_answers_bring_nothing_and_offer_on_what_they_are_given) {
  auto& asks = all_[1].me;
  auto const be_answered = [&] {
    while (asks.has_asked == 0) ASSERT_TRUE(search(1));
    while (all_[0].mail != 0) look_between_tasks(0);
    while (asks.has_asked != 0) ASSERT_TRUE(search(1));
  };
  create(0, {1});
  for (std::uint32_t const fruitless : {1, 2, 3, 3}) {
    be_answered();
    EXPECT_EQ(asks.fruitless, fruitless);
  }
  create(0, {2, 3, 4});
  asks.stack_changed = 0;
  be_answered();
  EXPECT_EQ(asks.fruitless, 0u);
  EXPECT_EQ(held_on(1), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(all_[1].view.method.should_share(worker_, all_[1].view, asks));
}

TEST_F(two_workers, stay_while_a_gift_is_on_its_way_and_leave_when_it_has_run) {
  create(0, {1, 2});
  EXPECT_TRUE(search(1));
  look_between_tasks(0);
  run_all(0);
  for (int look = 0; look < 10'000; ++look) ASSERT_TRUE(search(0));
  while (held_on(1).empty()) ASSERT_TRUE(search(1));
  run_all(1);
  bool stays = true;
  while (stays) stays = search(0) && search(1);
  EXPECT_EQ(all_[0].words.out, 2u);
  EXPECT_EQ(pending_on(0) + pending_on(1), 0u);
}

TEST_F(two_workers, run_what_waits_where_its_join_was_made) {
  run_two_with_the_last_child_on_the_other();
  EXPECT_EQ(all_[1].me.held(), 0u);
  EXPECT_EQ(all_[1].me.counts.created, 1u) << "sent home";
  EXPECT_EQ(pending_on(1), 1u) << "what it has sent";
  ASSERT_TRUE(search(0));
  EXPECT_EQ(pending_on(0), 1u);
  ASSERT_TRUE(search(1));
  EXPECT_EQ(pending_on(1), 0u) << "home has taken it";
  ASSERT_TRUE(run_newest(0));
  EXPECT_EQ(answer_, 1u);
  EXPECT_EQ(pending_on(0), 0u);
  EXPECT_EQ(all_[0].me.counts.joins, 1u);
  EXPECT_EQ(all_[1].me.counts.joins, 0u);
}

TEST_F(two_workers, take_what_waits_home_between_two_tasks) {
  run_two_with_the_last_child_on_the_other();
  create(0, {7});
  for (int look = 0; look < 100 && all_[0].me.held() == 1; ++look) look_between_tasks(0);
  EXPECT_EQ(all_[0].me.held(), 2u);
  ASSERT_TRUE(run_newest(0));
  EXPECT_EQ(answer_, 1u);
}

TEST_F(two_workers, come_in_again_for_what_is_sent_home) {
  create_fibonacci(0, 2);
  ASSERT_TRUE(run_newest(0));
  send(0, 1);
  ASSERT_TRUE(run_newest(0));
  while (all_[0].words.phase != presence::counted_out) {
    ASSERT_TRUE(search(0));
    look_between_tasks(1);
  }
  ASSERT_TRUE(run_newest(1));
  while (all_[0].me.held() == 0) ASSERT_TRUE(search(0) && search(1));
  EXPECT_EQ(all_[0].words.phase, presence::counted_in);
  ASSERT_TRUE(run_newest(0));
  EXPECT_EQ(answer_, 1u);
  for (bool stays = true; stays;) stays = search(0) && search(1);
  EXPECT_EQ(all_[0].words.out, 2u);
  EXPECT_EQ(pending_on(0) + pending_on(1), 0u);
}

TEST_F(two_workers, do_not_leave_while_what_waits_is_on_its_way) {
  run_two_with_the_last_child_on_the_other();
  all_[0].to_run.is_held = 1;  // by a worker that has not come to it
  for (int look = 0; look < 10'000; ++look) ASSERT_TRUE(search(0) && search(1));
  EXPECT_NE(all_[1].words.phase, presence::counted_out);
  EXPECT_NE(all_[0].to_run.newest, 0u);
}

// By two senders, each of which learns of its own.
TEST_F(two_workers, take_no_more_home_than_half_a_stack_at_a_time) {
  auto& home = all_[0];
  auto const count = std::uint32_t(std::size(home.joins));
  std::vector<std::uint32_t> numbers(count), taken;
  std::iota(numbers.begin(), numbers.end(), 0);
  for (auto const number : numbers) {
    home.joins[number].continuation = task_with(number);
    to_run_of(home.view.peers[0], number).add(number, number % 2);
  }
  while (taken.size() < count) {
    ASSERT_TRUE(search(0));
    auto const held = held_on(0);
    ASSERT_FALSE(held.empty());
    ASSERT_LE(held.size(), home.view.stack_capacity / 2);
    EXPECT_EQ(pending_on(0), held.size());
    taken.insert(taken.end(), held.begin(), held.end());
    run_all(0);
  }
  std::ranges::sort(taken);
  EXPECT_EQ(taken, numbers);
  EXPECT_EQ(all_[0].words.taken_home, count / 2);
  EXPECT_EQ(all_[1].words.taken_home, count / 2);
}

TEST_F(two_workers, leave_a_record_in_the_cache_where_its_join_was_made) {
  create_fibonacci(1, 2);
  ASSERT_TRUE(run_newest(1));
  send(1, 0);
  ASSERT_TRUE(run_newest(0));
  ASSERT_TRUE(run_newest(1));
  ASSERT_TRUE(run_newest(1));
  EXPECT_EQ(answer_, 1u);
  EXPECT_EQ(all_[1].me.joins, 2u) << "with the one that was there for the second child";
  EXPECT_EQ(all_[0].homing.newest + all_[1].homing.newest, 0u);
}

TEST_F(two_workers, send_a_record_home_whose_join_has_ended_elsewhere) {
  for (int times = 0; times < 10; ++times) {
    answer_ = 100;
    run_two_with_the_last_child_on_the_other();
    ASSERT_TRUE(search(0));
    ASSERT_EQ(all_[0].me.held(), 1u);
    create(0, {7});  // of two tasks the older is sent
    send(0, 1);
    run_all(0);
    auto const joins_of_other = all_[1].me.joins;
    ASSERT_TRUE(run_newest(1));
    EXPECT_EQ(answer_, 1u);
    EXPECT_EQ(all_[1].me.joins, joins_of_other) << "it is no record of this device";
    EXPECT_NE(all_[0].homing.newest, 0u);
  }
  EXPECT_EQ(all_[0].me.counts.joins, 10u) << "of two records";
}

TEST_F(two_workers, have_no_record_for_a_task_while_all_wait_for_the_other) {
  create_fibonacci(0, 2);
  ASSERT_TRUE(run_newest(0));
  send(0, 1);
  ASSERT_TRUE(run_newest(0));
  create_fibonacci(0, 2);
  ASSERT_TRUE(run_newest(0));
  EXPECT_FALSE(run_newest(0)) << "even the first child may make a join, for all that is known";
  ASSERT_TRUE(run_newest(1));
  EXPECT_NE(all_[0].to_run.newest, 0u);
}

TEST_F(two_workers, leave_together_when_one_leaves_early) {
  create(0, {1, 2});
  all_[0].view.halt_for(pool_halt::out_of_room);
  worker_report report{};
  all_[0].view.reports = &report;
  all_[0].view.report(all_[0].me);
  EXPECT_FALSE(search(1));
  EXPECT_EQ(pool_halt(all_[1].view.words->halt), pool_halt::elsewhere);
}

}  // namespace
}  // namespace ballast::test::pool_devices_test

// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/chunks.cuh"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "stepped_workers.hpp"

namespace ballast::test::chunks_test {
using namespace detail;
namespace {

/// A worker whose public_deque has room for two chunks of two tasks, where there are more chunks than that.
class chunks_of_a_small_deque : public testing::Test {
 protected:
  static constexpr std::uint32_t chunk_tasks = 2, chunks = 8, public_deque_capacity = 2;

  void SetUp() override {
    method_.public_deques = &shelf_;
    method_.slots = slots_.data();
    method_.stock.tasks = tasks_.data();
    method_.stock.used_chunks = &used_;
    method_.stock.spare_chunks = &spare_;
    method_.stock.returned = {&words_, free_slots_.data(), chunks};
    method_.public_deque_capacity = public_deque_capacity;
    method_.stock.chunk_tasks = chunk_tasks;
    method_.stock.chunks = chunks;
  }

  void share() { method_.share(workers_.worker_group, workers_.view, workers_[0]); }
  std::vector<std::uint32_t> refill() {
    method_.refill(workers_.worker_group, workers_.view, workers_[0]);
    return workers_.in_hand_of(0);
  }

  stepped_workers workers_{1};
  chunks_ref method_;
  std::uint32_t used_ = 0;

 private:
  tagged_deque_words shelf_{};
  std::vector<chunks_ref::public_deque::slot> slots_{public_deque_capacity};
  std::vector<stored_task> tasks_{chunks * chunk_tasks};
  std::uint32_t spare_ = 0;
  ring_queue_words words_{};
  std::vector<chunk_stock::free_list::slot> free_slots_{chunks};
};

TEST_F(chunks_of_a_small_deque, leave_on_the_stack_what_finds_no_place_there) {
  workers_.create(0, {1, 2, 3, 4, 5, 6, 7, 8});
  workers_[0].out_of_room = 8;
  for (int times = 0; times < 4; ++times) share();
  EXPECT_EQ(workers_.in_hand_of(0), (std::vector<std::uint32_t>{5, 6, 7, 8}));
  workers_[0].begin = workers_[0].end;
  EXPECT_EQ(refill(), (std::vector<std::uint32_t>{3, 4}));
  workers_[0].begin = workers_[0].end;
  EXPECT_EQ(refill(), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(chunks_of_a_small_deque, take_from_a_worker_without_room_also_what_it_would_keep) {
  workers_.view.tasks_at_once = 16;  // of which a quarter is kept
  workers_.create(0, {1, 2, 3, 4});
  share();
  EXPECT_EQ(workers_[0].held(), 4u);
  workers_[0].out_of_room = 4;
  share();
  EXPECT_EQ(workers_.in_hand_of(0), (std::vector<std::uint32_t>{3, 4}));
}

TEST_F(chunks_of_a_small_deque, are_used_again_as_soon_as_their_tasks_were_taken) {
  for (std::uint32_t round = 0; round < 2 * chunks; ++round) {
    workers_.create(0, {1, 2, 3});
    share();
    workers_[0].begin = workers_[0].end;
    EXPECT_EQ(refill(), (std::vector<std::uint32_t>{1, 2}));
    workers_[0].begin = workers_[0].end = 0;
  }
  EXPECT_EQ(used_, 1u);
}

/// What its worker sees where it wakes others.
struct watched_view : pool_view {
  std::function<void()> at_wake;

  void wake_others() const { at_wake(); }
};

TEST_F(chunks_of_a_small_deque, are_there_when_others_are_woken_for_them) {
  workers_.create(0, {1, 2, 3});
  std::vector<std::uint32_t> found;
  watched_view const view{workers_.view, [&] { found = refill(); }};
  method_.share(workers_.worker_group, view, workers_[0]);
  EXPECT_EQ(found, (std::vector<std::uint32_t>{1, 2, 3, 1, 2}));
}

/// Each attempt that counted the chunks once more would bring the count nearer to zero.
TEST_F(chunks_of_a_small_deque, are_given_once_however_often_one_was_asked_for_when_all_were_taken) {
  used_ = ~std::uint32_t(0);
  workers_.create(0, {1, 2, 3});
  for (int times = 0; times < 3; ++times) share();
  EXPECT_EQ(workers_.in_hand_of(0), (std::vector<std::uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace ballast::test::chunks_test

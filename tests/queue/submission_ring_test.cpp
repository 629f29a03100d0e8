// SPDX-License-Identifier: Apache-2.0
#include "submission_ring.hpp"

#include <gtest/gtest.h>

#include <future>

#include "fixture.hpp"
#include "large_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

/// A submission ring of four slots whose device is the test: it fetches and completes what it is told to.
class test_driven_ring {
 public:
  test_driven_ring() : memory_(open_devices("host:1").front(), options(), 1), ring_(memory_, 0) {
    memory_.clear(*open_devices("host:1").front()->make_stream(), deadline::in(std::chrono::minutes(1)));
  }

  submission_ring& ring() { return ring_; }
  std::uint64_t write_one() { return ring_.write(std::span<task_record const, 1>(&record_, 1)); }
  void fetch_all() {
    atomic_ref<std::uint64_t, scope::system>(memory_.to_host[0].fetched[0]).store_release(ring_.submitted());
  }
  void complete(std::uint64_t batch) {
    auto const lap = std::uint32_t(batch / ring_.batch_slots() + 1) & 0xff;
    store_chunk<scope::system>(memory_.completions[batch % ring_.batch_slots()], {{0, 0, 0}, lap});
  }
  void write_fetch_and_complete(std::uint64_t batches) {
    for (std::uint64_t i = 0; i < batches; ++i) {
      ASSERT_TRUE(ring_.has_room_for(1)) << "batch " << ring_.next_batch();
      auto const batch = write_one();
      fetch_all();
      complete(batch);
    }
  }

 private:
  static queue_options options() {
    queue_options given;
    given.capacity = 4;
    given.submission_rings = 1;
    return given;
  }

  queue_memory memory_;
  task_record record_{};
  submission_ring ring_;
};

TEST(batch_of_a_submission_ring, holds_two_to_the_31_tasks_and_not_one_more) {
  std::uint32_t const large = 128;
  std::vector<task_record> records(large + 1);
  for (auto& record : records) record.describe({0, max_blocks_per_task}, task_record::grid_bit);
  auto const left = std::uint32_t(max_batch_tasks - std::uint64_t(large) * max_blocks_per_task);
  records.back().describe({0, left}, task_record::grid_bit);
  EXPECT_EQ(records_of_a_batch(records, records.size()), records.size());
  records.back().describe({0, left + 1}, task_record::grid_bit);
  EXPECT_EQ(records_of_a_batch(records, records.size()), large);
}

TEST(submission_ring, has_room_for_as_many_tasks_as_it_has_slots_that_were_fetched) {
  test_driven_ring made;
  EXPECT_TRUE(made.ring().has_room_for(4));
  EXPECT_FALSE(made.ring().has_room_for(5));
  made.write_one();
  EXPECT_FALSE(made.ring().has_room_for(4));
  made.fetch_all();
  EXPECT_TRUE(made.ring().has_room_for(4));
}

TEST(submission_ring, has_no_room_while_the_batch_a_whole_turn_before_is_incomplete) {
  test_driven_ring made;
  auto const turn = made.ring().batch_slots();
  auto const slow = made.write_one();
  made.fetch_all();
  made.write_fetch_and_complete(turn - 1);
  EXPECT_FALSE(made.ring().has_room_for(1));
  EXPECT_FALSE(made.ring().complete(slow));
  made.complete(slow);
  EXPECT_TRUE(made.ring().has_room_for(1));
}

// After the first turn all records but one say that they are complete, and they are looked at several at
// once.
TEST(submission_ring, looks_no_further_than_the_first_incomplete_batch) {
  test_driven_ring made;
  auto const turn = made.ring().batch_slots(), slow = turn + turn / 2;
  made.write_fetch_and_complete(slow);
  made.write_one();
  made.fetch_all();
  made.write_fetch_and_complete(turn - 1);
  ASSERT_EQ(made.ring().next_batch(), slow + turn);
  EXPECT_FALSE(made.ring().has_room_for(1));
  EXPECT_EQ(made.ring().unfinished_tasks(), 1u);
  made.complete(slow);
  made.write_fetch_and_complete(2 * turn);
}

TEST(submission_ring, goes_on_after_the_laps_of_its_records_have_come_round) {
  test_driven_ring made;
  made.write_fetch_and_complete(600 * made.ring().batch_slots());
  auto const slow = made.write_one();
  made.fetch_all();
  made.write_fetch_and_complete(made.ring().batch_slots() - 1);
  EXPECT_FALSE(made.ring().has_room_for(1));
  made.complete(slow);
  EXPECT_TRUE(made.ring().has_room_for(1));
}

TEST(submission_ring, is_waited_for_until_the_deadline_and_no_longer_while_another_thread_holds_it) {
  test_driven_ring made;
  ASSERT_TRUE(made.ring().try_lock());
  auto taken = std::async(std::launch::async,
                          [&] { return made.ring().lock(deadline::in(std::chrono::milliseconds(200))); });
  EXPECT_EQ(taken.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  made.ring().unlock();  // ends also a wait that would last for ever
  EXPECT_FALSE(taken.get());
}

TEST(submission_ring, is_empty_again_before_a_new_run) {
  test_driven_ring made;
  for (int i = 0; i < 4; ++i) made.write_one();
  EXPECT_FALSE(made.ring().has_room_for(1));
  made.ring().reset();
  EXPECT_TRUE(made.ring().has_room_for(4));
  EXPECT_EQ(made.ring().submitted(), 0u);
}

/// Else the pieces that small tasks give back would all go to small tasks, and large ones would wait for
/// ever.
TEST(argument_memory, is_for_the_ring_whose_turn_it_is) {
  test_driven_ring first, second;
  argument_memory memory(open_devices("host:1").front(), large_kernels(), 0);
  std::uint32_t word = 0;
  task const large(mark_200_bytes::of(array_ref(&word), 0));
  auto const record = record_of(large_kernels(), large);
  auto const takes = [&](test_driven_ring& one) {
    return memory.take(std::span(&record, 1), one.ring()).has_value();
  };
  {
    argument_memory::turn const earlier(memory, first.ring()), later(memory, second.ring());
    EXPECT_FALSE(takes(second));
    EXPECT_TRUE(takes(first));
  }
  EXPECT_TRUE(takes(second));
}

}  // namespace
}  // namespace ballast::test

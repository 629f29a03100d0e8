// SPDX-License-Identifier: Apache-2.0
#include "producer_lane.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace ballast::test {
namespace {

/// A lane of four slots whose device is the test: it fetches and completes what it is told to.
class hand_served_lane {
 public:
  hand_served_lane() : memory_(open_devices("host:1").front(), options(), 1), lane_(memory_, 0) {
    memory_.clear(*open_devices("host:1").front()->make_stream());
  }

  producer_lane& lane() { return lane_; }
  std::uint64_t write_one() { return lane_.write(std::span<task_record const, 1>(&record_, 1)); }
  void fetch_all() {
    atomic_ref<std::uint64_t, scope::system>(memory_.to_host[0].fetched[0]).store_release(lane_.submitted());
  }
  void complete(std::uint64_t batch) {
    auto const lap = std::uint32_t(batch / lane_.batch_slots() + 1) & 0xff;
    store_chunk<scope::system>(memory_.completions[batch % lane_.batch_slots()], {{0, 0, 0}, lap});
  }
  void write_fetch_and_complete(std::uint64_t batches) {
    for (std::uint64_t i = 0; i < batches; ++i) {
      ASSERT_TRUE(lane_.has_room_for(1)) << "batch " << lane_.next_batch();
      auto const batch = write_one();
      fetch_all();
      complete(batch);
    }
  }

 private:
  static queue_options options() {
    queue_options given;
    given.capacity = 4;
    given.lanes = 1;
    return given;
  }

  queue_memory memory_;
  task_record record_{};
  producer_lane lane_;
};

TEST(batch_of_a_lane, holds_two_to_the_31_tasks_and_not_one_more) {
  std::uint32_t const large = 128;
  std::vector<task_record> records(large + 1);
  for (auto& record : records) record.describe({0, most_blocks_per_task}, task_record::spread);
  auto const left = std::uint32_t(most_batch_tasks - std::uint64_t(large) * most_blocks_per_task);
  records.back().describe({0, left}, task_record::spread);
  EXPECT_EQ(records_of_a_batch(records, records.size()), records.size());
  records.back().describe({0, left + 1}, task_record::spread);
  EXPECT_EQ(records_of_a_batch(records, records.size()), large);
}

TEST(producer_lane, has_room_for_as_many_tasks_as_it_has_slots_that_were_fetched) {
  hand_served_lane made;
  EXPECT_TRUE(made.lane().has_room_for(4));
  EXPECT_FALSE(made.lane().has_room_for(5));
  made.write_one();
  EXPECT_FALSE(made.lane().has_room_for(4));
  made.fetch_all();
  EXPECT_TRUE(made.lane().has_room_for(4));
}

TEST(producer_lane, has_no_room_while_the_batch_a_whole_turn_before_is_incomplete) {
  hand_served_lane made;
  auto const turn = made.lane().batch_slots();
  auto const slow = made.write_one();
  made.fetch_all();
  made.write_fetch_and_complete(turn - 1);
  EXPECT_FALSE(made.lane().has_room_for(1));
  EXPECT_FALSE(made.lane().complete(slow));
  made.complete(slow);
  EXPECT_TRUE(made.lane().has_room_for(1));
}

// After the first turn all records but one say that they are complete, and they are looked at several at
// once.
TEST(producer_lane, looks_no_further_than_the_first_incomplete_batch) {
  hand_served_lane made;
  auto const turn = made.lane().batch_slots(), slow = turn + turn / 2;
  made.write_fetch_and_complete(slow);
  made.write_one();
  made.fetch_all();
  made.write_fetch_and_complete(turn - 1);
  ASSERT_EQ(made.lane().next_batch(), slow + turn);
  EXPECT_FALSE(made.lane().has_room_for(1));
  EXPECT_EQ(made.lane().unfinished_tasks(), 1u);
  made.complete(slow);
  made.write_fetch_and_complete(2 * turn);
}

TEST(producer_lane, goes_on_after_the_laps_of_its_records_have_come_round) {
  hand_served_lane made;
  made.write_fetch_and_complete(600 * made.lane().batch_slots());
  auto const slow = made.write_one();
  made.fetch_all();
  made.write_fetch_and_complete(made.lane().batch_slots() - 1);
  EXPECT_FALSE(made.lane().has_room_for(1));
  made.complete(slow);
  EXPECT_TRUE(made.lane().has_room_for(1));
}

TEST(producer_lane, is_empty_again_before_a_new_run) {
  hand_served_lane made;
  for (int i = 0; i < 4; ++i) made.write_one();
  EXPECT_FALSE(made.lane().has_room_for(1));
  made.lane().forget_all();
  EXPECT_TRUE(made.lane().has_room_for(4));
  EXPECT_EQ(made.lane().submitted(), 0u);
}

}  // namespace
}  // namespace ballast::test

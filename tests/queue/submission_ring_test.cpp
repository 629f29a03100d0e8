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
  std::uint64_t write_one(batch_dependency const& after = {}) {
    return ring_.write(std::span<task_record const, 1>(&record_, 1), after);
  }
  void fetch_all() {
    atomic_ref<std::uint64_t, scope::system>(memory_.to_host[0].fetched[0]).store_release(ring_.submitted());
  }
  void fetch(int ring, std::uint64_t tasks) { memory_.to_host[0].fetched[ring] += tasks; }
  void complete(std::uint64_t batch) {
    auto const lap = std::uint32_t(batch / ring_.batch_slots() + 1) & batch_lap_mask;
    store_chunk<scope::system>(memory_.completions[batch % ring_.batch_slots()], {{0, 0, 0}, lap});
  }
  std::span<std::uint64_t const> first_list() const { return memory_.awaited[0].batches; }
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
    given.submission_rings = 2;
    return given;
  }

  queue_memory memory_;
  task_record record_{};
  submission_ring ring_;
};

TEST(awaited_lists, are_at_most_as_many_as_the_batch_slots_by_which_workers_find_them) {
  for (std::uint32_t shift = 1; shift < 25; ++shift)
    EXPECT_LE(awaited_lists(shift), max_batch_slots) << shift;
}

TEST(stalls_of_a_submission_ring, are_counted_where_servers_fetch_fast_and_most_of_its_tasks_wait_again) {
  test_driven_ring driven;
  auto& ring = driven.ring();
  std::uint64_t now_ns = 1'000'000;
  auto const stalls_after = [&](std::uint64_t fetched_elsewhere) {
    driven.fetch(1, fetched_elsewhere);
    ring.note_stall(now_ns += 1000);
    return ring.stalls();
  };
  for (int i = 0; i < 3; ++i) driven.write_one();
  EXPECT_EQ(stalls_after(0), 0u) << "the first";
  EXPECT_EQ(stalls_after(ring.fast_fetch), 1u);
  EXPECT_EQ(stalls_after(ring.fast_fetch - 1), 1u) << "slowly";
  driven.fetch(0, 1);
  EXPECT_EQ(stalls_after(ring.fast_fetch), 1u) << "half of the ring waits";
  driven.write_one();
  EXPECT_EQ(stalls_after(ring.fast_fetch), 2u);
  ring.reset();
  EXPECT_EQ(ring.stalls(), 0u);
}

TEST(batch_of_a_submission_ring, holds_two_to_the_24_tasks_and_not_one_more) {
  std::uint32_t const large = 3, blocks = max_blocks_per_task / large;
  std::vector<task_record> records(large + 1);
  for (auto& record : records) record.describe({0, blocks}, task_record::grid_bit);
  auto const left = std::uint32_t(max_batch_tasks - large * blocks);
  records.back().describe({0, left}, task_record::grid_bit);
  EXPECT_EQ(records_of_a_batch(records, records.size()), records.size());
  records.back().describe({0, left + 1}, task_record::grid_bit);
  EXPECT_EQ(records_of_a_batch(records, records.size()), large);
}

TEST(submission_ring, names_neighbours_among_its_last_batches_by_their_distance) {
  test_driven_ring made;
  for (std::uint32_t i = 0; i < 4; ++i) made.write_one();
  auto const is = [&](std::vector<batch_place> const& batches, std::uint32_t distance, std::uint32_t more) {
    auto const named = made.ring().name(batches);
    return named && named->distance == distance && named->more == more;
  };
  EXPECT_TRUE(is({}, 0, 0));
  EXPECT_TRUE(is({{0, 2}}, 2, 0));
  EXPECT_TRUE(is({{0, 3}, {0, 1}, {0, 2}}, 1, 2));
}

TEST(submission_ring, lists_other_batches_unless_an_earlier_one_uses_the_list) {
  test_driven_ring made;
  for (std::uint32_t i = 0; i < 4; ++i) made.write_one();
  std::vector<batch_place> const apart = {{0, 3}, {0, 1}, {1, std::uint64_t(5) << 30}};
  auto const named = made.ring().name(apart);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->distance, by_list);
  auto const list = made.first_list();
  auto const slots = made.ring().batch_slots();
  EXPECT_EQ(list[0], std::uint64_t(1) << 32 | 3u);
  EXPECT_EQ(list[1], std::uint64_t(1) << 32 | 1u);
  EXPECT_EQ(list[2], ((std::uint64_t(5) << 30) / slots + 1) << 32 | slots);
  EXPECT_EQ(std::ranges::count(list, 0u), std::ptrdiff_t(max_awaited_batches - apart.size()));
  EXPECT_TRUE(made.ring().name(apart)) << "no batch was written with it";
  made.write_one(*named);
  for (std::uint32_t i = 0; i < 3; ++i) made.write_one();
  EXPECT_FALSE(made.ring().name(apart)) << "batch 4 may still read it";
  made.complete(4);
  EXPECT_TRUE(made.ring().name(apart));
}

TEST(batch_mark, travels_in_four_words_whatever_it_holds) {
  for (std::uint32_t const credit : {std::uint32_t(-1), 0u, 1u, std::uint32_t(max_batch_tasks - 1)})
    for (std::uint32_t const distance : {0u, 1u, max_batch_distance, by_list}) {
      batch_mark const mark{31, 65535, batch_lap_mask, credit, distance, max_more_batches};
      std::uint32_t words[4];
      for (int i = 0; i < 4; ++i) words[i] = mark_word(mark, i);
      for (auto const word : words) EXPECT_LT(word, 1u << 16);
      auto const back = mark_of(words);
      EXPECT_EQ(back.ring_index, 31u);
      EXPECT_EQ(back.slot, 65535u);
      EXPECT_EQ(back.lap, batch_lap_mask);
      EXPECT_EQ(back.credit, credit);
      EXPECT_EQ(back.distance, distance);
      EXPECT_EQ(back.more, max_more_batches);
      EXPECT_EQ(waits_for_others(words), distance != 0);
    }
}

TEST(batch_mark, of_a_grid_task_is_that_of_each_of_its_blocks_but_for_the_credit) {
  task_record grid{};
  grid.describe({7, 5}, task_record::grid_bit | 3);
  batch_mark const mark{3, 9, 2, 4, 5, 6};
  for (std::uint32_t block = 0; block < 5; ++block) {
    std::uint32_t words[4];
    for (int i = 0; i < 4; ++i) words[i] = chunk_of_block(make_chunk(grid, mark, i, 1), i, block).stamp >> 16;
    auto const of_block = mark_of(words);
    EXPECT_TRUE(is_same_batch(of_block, mark));
    EXPECT_EQ(of_block.lap, 2u);
    EXPECT_EQ(of_block.credit, block == 0 ? 4u : std::uint32_t(-1));
    EXPECT_EQ(of_block.distance, 5u);
    EXPECT_EQ(of_block.more, 6u);
  }
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

// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/level_arrays.cuh"

#include <gtest/gtest.h>

#include <vector>

namespace ballast::test::level_arrays_test {
using namespace detail;
namespace {

stored_task task_of_blocks(std::uint32_t blocks) {
  stored_task task{};
  task.record.describe({0, blocks}, 0);
  return task;
}

// The host makes the room of the next level from these counts.
TEST(level_sink, counts_the_tasks_of_a_level_and_their_blocks_beyond_one_each) {
  level_words words{};
  std::vector<stored_task> out(8);
  level_work level;
  level.out = out.data();
  level.words = &words;
  level.room = std::uint32_t(out.size());
  pool_reduction reduced{};
  level_sink const sink(level, reduced);
  for (std::uint32_t const blocks : {1u, 5u, 2u, 1u}) sink.add(task_of_blocks(blocks));
  EXPECT_EQ(words.tail, 4u);
  EXPECT_EQ(words.further_blocks, 4u + 1u);
}

TEST(level_sink, keeps_what_its_tasks_reduce_until_the_thread_adds_it_to_the_level) {
  level_words words{};
  words.reduced = {10, 5};
  level_work level;
  level.words = &words;
  pool_reduction reduced{};
  level_sink const sink(level, reduced);
  for (std::uint64_t const value : {3u, 7u, 4u}) {
    sink.add_to_sum(value);
    sink.raise_max(value);
  }
  EXPECT_EQ(words.reduced.sum, 10u);
  words.reduced.add_shared(reduced);
  EXPECT_EQ(words.reduced.sum, 24u);
  EXPECT_EQ(words.reduced.max, 7u);
}

}  // namespace
}  // namespace ballast::test::level_arrays_test

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
  level_sink const sink(level);
  for (std::uint32_t const blocks : {1u, 5u, 2u, 1u}) sink.add(task_of_blocks(blocks));
  EXPECT_EQ(words.tail, 4u);
  EXPECT_EQ(words.further_blocks, 4u + 1u);
}

}  // namespace
}  // namespace ballast::test::level_arrays_test

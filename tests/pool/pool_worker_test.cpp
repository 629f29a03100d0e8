// SPDX-License-Identifier: Apache-2.0
#include "ballast/pool/pool_worker.cuh"

#include <gtest/gtest.h>

namespace ballast::test {
namespace {

TEST(pool_worker, notes_the_most_tasks_that_it_had_at_a_time_in_its_hand_and_beside_it) {
  pool_worker me{};
  auto const most_with = [&](std::uint32_t held, std::uint32_t shelved) {
    me.end = me.begin + held;
    me.shelved = shelved;
    me.note_stored();
    return me.counts.most_stored;
  };
  EXPECT_EQ(most_with(3, 0), 3u);
  EXPECT_EQ(most_with(2, 4), 6u);
  EXPECT_EQ(most_with(1, 1), 6u);
  EXPECT_EQ(most_with(7, 0), 7u);
}

}  // namespace
}  // namespace ballast::test

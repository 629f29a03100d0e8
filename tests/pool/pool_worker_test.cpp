// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/pool_worker.cuh"

#include <gtest/gtest.h>

namespace ballast::test {
using namespace detail;
namespace {

TEST(pool_worker, counts_the_most_tasks_that_it_had_at_a_time_on_its_stack_and_beside_it) {
  pool_worker me{};
  auto const most_with = [&](std::uint32_t held, std::uint32_t stored_elsewhere) {
    me.end = me.begin + held;
    me.stored_elsewhere = stored_elsewhere;
    me.update_max_stored();
    return me.counts.max_stored;
  };
  EXPECT_EQ(most_with(3, 0), 3u);
  EXPECT_EQ(most_with(2, 4), 6u);
  EXPECT_EQ(most_with(1, 1), 6u);
  EXPECT_EQ(most_with(7, 0), 7u);
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel_table.hpp"

#include <gtest/gtest.h>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(pieces_of_a_kernel, are_as_few_as_hold_its_members) {
  mergeable_kernel kernel{};
  auto const pieces = [&](std::uint32_t bytes) { return kernel.bytes = bytes, pieces_of(kernel); };
  EXPECT_EQ(pieces(1), 1u);
  EXPECT_EQ(pieces(argument_piece), 1u);
  EXPECT_EQ(pieces(argument_piece + 1), 2u);
  EXPECT_EQ(pieces(max_kernel_bytes), max_kernel_bytes / argument_piece);
}

/// Kernels of which two blocks run at a time on each of the cores.
class table_of_kernels : public testing::Test {
 protected:
  static constexpr std::uint32_t blocks_per_core = 2;

  kernel_facts kernel(std::uint32_t blocks, std::int64_t block_ns) const {
    return {.blocks = blocks, .blocks_per_multiprocessor = blocks_per_core, .block_ns = block_ns};
  }
  std::int64_t expected_ns(std::uint32_t blocks) const { return table_.expected_ns(kernel(blocks, 100)); }

  kernel_table table_{*open_devices("host:2").front(), mergeable_kernels(nullptr)};
  std::uint32_t at_once_ = blocks_per_core * table_.costs().multiprocessors.value();
};

TEST_F(table_of_kernels, expects_a_grid_to_take_a_blocks_time_for_each_level_that_it_begins) {
  EXPECT_EQ(expected_ns(1), 100);
  EXPECT_EQ(expected_ns(at_once_), 100);
  EXPECT_EQ(expected_ns(at_once_ + 1), 200);
  EXPECT_EQ(expected_ns(2 * at_once_), 200);
  EXPECT_EQ(expected_ns(2 * at_once_ + 1), 300);
}

TEST_F(table_of_kernels, expects_different_ends_where_the_launch_takes_half_as_long_again_as_its_shortest) {
  auto const differ = [&](std::int64_t one_ns, std::int64_t other_ns, double busy_ns) {
    return table_.ends_differ(std::vector{kernel(1, one_ns), kernel(1, other_ns)}, busy_ns);
  };
  EXPECT_TRUE(differ(0, 0, 0)) << "nothing is known";
  EXPECT_TRUE(differ(0, 140, 140)) << "of one nothing is known";
  EXPECT_FALSE(differ(100, 140, 0));
  EXPECT_TRUE(differ(100, 160, 0));
  EXPECT_TRUE(differ(100, 100, 160));
}

TEST_F(table_of_kernels, does_not_trust_equal_times_where_a_launch_lasts_eight_times_as_long_as_its_issue) {
  auto const long_ns = std::int64_t(8 * table_.costs().issue_ns);
  auto const differ = [&](std::int64_t ns) {
    return table_.ends_differ(std::vector{kernel(1, ns), kernel(1, ns)}, double(ns));
  };
  EXPECT_FALSE(differ(long_ns));
  EXPECT_TRUE(differ(long_ns + 1));
}

}  // namespace
}  // namespace ballast::test

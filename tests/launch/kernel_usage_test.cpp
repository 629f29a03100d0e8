// SPDX-License-Identifier: Apache-2.0
// What kernel_times learns of a resource that blocks share.
#include <gtest/gtest.h>

#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "invented_mixes.hpp"
#include "sanitized.hpp"

namespace ballast::test::kernel_usage_test {
using namespace detail;
namespace {

using held_up = slots_that_share::held_up;
constexpr std::uint64_t seeds = sanitized ? 2 : 8;

/// Kernels of equal and of other times, of which one fills what is shared four times over, one never and one
/// once and a half.
invented_mixes bound_and_unbound(std::uint64_t seed, held_up whom) {
  return {.block_ns = {2000, 2000, 8000},
          .usage = {4, 0, 1.5},
          .held_up = whom,
          .alone = 0.1,
          .random = random_numbers(seed)};
}

invented_mixes unbound(std::uint64_t seed, double spread) {
  return {.block_ns = {1000, 2000, 8000}, .spread = spread, .alone = 0.1, .random = random_numbers(seed)};
}

TEST(kernel_usage, lets_mixes_of_bound_and_unbound_kernels_be_predicted_within_a_tenth_in_nine_of_ten) {
  for (auto const whom : {held_up::all, held_up::who_want_any})
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      auto device = bound_and_unbound(seed, whom);
      device.launch(600);
      EXPECT_GT(device.part_predicted_within(0.1, 200), 0.9) << seed;
      device.usage_is_told = false;
      EXPECT_LT(device.part_predicted_within(0.1, 200), 0.5) << seed;
    }
}

TEST(kernel_usage, is_told_apart_from_that_of_others_and_from_time) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto device = bound_and_unbound(seed, held_up::all);
    device.launch(1000);
    EXPECT_NEAR(device.learned_usage(0), 4, 0.4) << seed;
    EXPECT_LT(device.learned_usage(1), 1) << seed;  // never bound by itself
    EXPECT_NEAR(device.learned_usage(2), 1.5, 0.15) << seed;
  }
}

TEST(kernel_usage, follows_a_change) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto device = unbound(seed, 0);
    device.usage = {0, 0, 0};
    device.launch(400);
    device.usage[2] = 3;
    device.launch(400);
    EXPECT_NEAR(device.learned_usage(2), 3, 0.3) << seed;
    EXPECT_GT(device.part_predicted_within(0.1, 200), 0.9) << seed;
    device.usage[2] = 0;
    device.launch(400);
    EXPECT_LT(device.learned_usage(2), 1) << seed;
    EXPECT_GT(device.part_predicted_within(0.1, 200), 0.9) << seed;
  }
}

TEST(kernel_usage, stays_near_nothing_where_nothing_is_shared_and_spoils_no_prediction) {
  for (double const spread : {0.0, 0.1})
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      auto device = unbound(seed, spread);
      device.launch(1000);
      for (std::uint32_t kernel = 0; kernel < 3; ++kernel)
        EXPECT_LT(device.learned_usage(kernel), 0.3) << seed << " " << kernel;
      auto without = device;
      without.usage_is_told = false;
      EXPECT_EQ(device.part_predicted_within(0.1, 200), without.part_predicted_within(0.1, 200)) << seed;
    }
}

TEST(kernel_usage, hardly_moves_by_one_span_that_is_far_off) {
  for (double const off : {3.0, 1 / 3.0})
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      auto device = bound_and_unbound(seed, held_up::all);
      device.launch(1000);
      auto const before = device.learned_usage(0);
      device.launch(1, off);
      EXPECT_NEAR(device.learned_usage(0) / before, 1, 0.1) << seed;
    }
}

TEST(kernel_usage, is_what_launches_of_many_blocks_take_longer_than_those_of_few) {
  kernel_times times(two_at_a_time, on_33);
  kernel_facts few{.blocks = 8, .blocks_per_multiprocessor = 2}, many = few;
  many.blocks = 66;
  for (int i = 0; i < 100; ++i) times.record_alone(few, 1000), times.record_alone(many, 3000);
  EXPECT_NEAR(static_cast<double>(times.block_ns(0)), 1000, 50);
  EXPECT_NEAR(times.shared_ns(0), 3000 / 66.0, 3);
}

TEST(kernel_usage, is_nothing_if_all_launches_are_equally_large) {
  kernel_times times(two_at_a_time, on_33);
  for (int i = 0; i < 100; ++i) times.record_alone({.blocks = 66, .blocks_per_multiprocessor = 2}, 3000);
  EXPECT_EQ(times.block_ns(0), 3000);
  EXPECT_EQ(times.shared_ns(0), 0);
}

/// Of four launches of which alone twice as many blocks run at a time as merged, with what was learned.
merge_verdict verdict_on_four(double usage) {
  invented_mixes device{.block_ns = {20'000}, .usage = {usage}, .alone = 0.5};
  device.launch(400);
  std::vector<kernel_facts> const four(4, {.blocks = 66,
                                           .blocks_per_multiprocessor = 4,
                                           .block_ns = device.times.block_ns(0),
                                           .shared_ns = device.times.shared_ns(0)});
  auto costs = on_33;
  costs.issue_ns = 2000;
  return decide_merge(four, two_at_a_time, costs).verdict;
}

TEST(kernel_usage, lets_the_filter_see_that_fewer_blocks_at_a_time_cost_nothing_where_all_are_bound_anyway) {
  EXPECT_EQ(verdict_on_four(0), merge_verdict::no_gain);
  EXPECT_EQ(verdict_on_four(4), merge_verdict::merge);
}

/// The levels of bound blocks are held up, and on streams the others would run beside them.
TEST(kernel_usage, lets_the_filter_see_that_merging_puts_bound_blocks_beside_each_other) {
  std::vector<kernel_facts> kernels{
      {.blocks = 66, .blocks_per_multiprocessor = 2, .block_ns = 20'100},
      {.kernel = 1, .blocks = 66, .blocks_per_multiprocessor = 2, .block_ns = 20'000}};
  auto costs = on_33;
  costs.issue_ns = 1000;
  EXPECT_EQ(decide_merge(kernels, two_at_a_time, costs).verdict, merge_verdict::merge);
  kernels[0].shared_ns = 2 * 20'000 / 66.0;
  EXPECT_EQ(decide_merge(kernels, two_at_a_time, costs).verdict, merge_verdict::no_gain);
}

}  // namespace
}  // namespace ballast::test::kernel_usage_test

// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"
#include "names_of.hpp"
#include "refused_argument.hpp"

namespace ballast::test::merge_policy_test {
using namespace detail;
namespace {

using groups_of = std::vector<merge_group>;
multiprocessor_count const ten{10};

std::vector<merge_candidate> kernels(std::vector<std::uint32_t> const& blocks) {
  std::vector<merge_candidate> candidates;
  for (auto const each : blocks) candidates.push_back({.blocks = each});
  return candidates;
}

groups_of grouped(std::string_view policy, std::vector<std::uint32_t> const& blocks) {
  auto const waiting = kernels(blocks);
  return make_merge_policy(policy)->group({.waiting = waiting, .multiprocessors = ten});
}

/// By the model, with a start that costs a level.
double time_of(std::string_view policy, std::vector<std::uint32_t> const& blocks) {
  auto const waiting = kernels(blocks);
  merge_view const view{.waiting = waiting, .multiprocessors = ten};
  return paper_time(blocks_of_launches(view, make_merge_policy(policy)->group(view)), ten);
}

std::string refused_by(std::string_view policy, merge_view const& view) {
  return refused_argument([&] { make_merge_policy(policy)->group(view); });
}

class every_merge_policy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(merge_policies, every_merge_policy, testing::ValuesIn(names_of(merge_policies())));

TEST_P(every_merge_policy, puts_each_kernel_into_exactly_one_group) {
  for (std::size_t const count : {0, 1, 2, 3, 63, 64, 65, 500}) {
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t i = 0; i < count; ++i) blocks.push_back(1 + i * 37 % 50);
    std::vector<std::size_t> seen, all;
    for (auto const& group : grouped(GetParam(), blocks)) {
      EXPECT_FALSE(group.empty());
      seen.insert(seen.end(), group.begin(), group.end());
    }
    std::ranges::sort(seen);
    for (std::size_t i = 0; i < count; ++i) all.push_back(i);
    EXPECT_EQ(seen, all);
  }
}

TEST_P(every_merge_policy, leaves_a_kernel_that_waits_alone_alone) {
  EXPECT_EQ(grouped(GetParam(), {7}), (groups_of{{0}}));
}

TEST_P(every_merge_policy, decides_the_same_for_the_same_view) {
  std::vector<std::uint32_t> const blocks{3, 14, 15, 92, 65, 35, 89, 79};
  EXPECT_EQ(grouped(GetParam(), blocks), grouped(GetParam(), blocks));
}

TEST_P(every_merge_policy, refuses_a_view_that_is_out_of_range_by_the_members_name) {
  auto const good = kernels({1, 2}), empty_grid = kernels({1, 0});
  std::vector<merge_candidate> const negative{{.blocks = 1, .block_ns = -1}};
  EXPECT_EQ(refused_by(GetParam(), {good, multiprocessor_count(0)}), "multiprocessors");
  EXPECT_EQ(refused_by(GetParam(), {good, ten, 1}), "max_kernels");
  EXPECT_EQ(refused_by(GetParam(), {empty_grid, ten}), "blocks");
  EXPECT_EQ(refused_by(GetParam(), {negative, ten}), "block_ns");
}

TEST(merging_none, launches_each_kernel_as_it_waits) {
  EXPECT_EQ(grouped("none", {7, 4, 9}), (groups_of{{0}, {1}, {2}}));
  EXPECT_EQ(time_of("none", {7, 14, 29}), 3 + 1 + 2 + 3);
}

TEST(merging_neighbours, pairs_the_first_with_the_second_and_leaves_the_last_of_an_odd_number) {
  EXPECT_EQ(grouped("neighbour", {7, 4, 9, 1, 2}), (groups_of{{0, 1}, {2, 3}, {4}}));
  // 11, 10 and 2 blocks on 10 multiprocessors: 2 + 1 + 1 levels and 3 starts.
  EXPECT_EQ(time_of("neighbour", {7, 4, 9, 1, 2}), 7);
}

TEST(alignment, gives_the_first_the_partner_with_the_largest_remainder) {
  // 7 + 4, 7 + 2 and 7 + 1 leave 1, 9 and 8; then 4 is left with 1.
  EXPECT_EQ(grouped("alignment", {7, 4, 2, 1}), (groups_of{{0, 2}, {1, 3}}));
  EXPECT_EQ(time_of("alignment", {7, 4, 2, 1}), 4);
  EXPECT_EQ(time_of("neighbour", {7, 4, 2, 1}), 5);
}

TEST(alignment, takes_the_earlier_of_partners_that_fit_equally_well) {
  EXPECT_EQ(grouped("alignment", {5, 4, 14, 24}), (groups_of{{0, 1}, {2, 3}}));
}

TEST(alignment, as_published_ranks_a_perfect_fit_last) {
  // 7 + 3 fills the only level and leaves the remainder 0; 7 + 4 needs a second level and leaves 1.
  EXPECT_EQ(grouped("alignment", {7, 3, 4, 6}), (groups_of{{0, 3}, {1, 2}}));
  EXPECT_EQ(time_of("alignment", {7, 3, 4, 6}), 2 + 1 + 2);
  EXPECT_EQ(grouped("alignment_fixed", {7, 3, 4, 6}), (groups_of{{0, 1}, {2, 3}}));
  EXPECT_EQ(time_of("alignment_fixed", {7, 3, 4, 6}), 1 + 1 + 2);
}

TEST(alignment, takes_the_first_partner_if_all_fit_perfectly) {
  EXPECT_EQ(grouped("alignment", {7, 3, 13}), (groups_of{{0, 1}, {2}}));
}

TEST(fixed_alignment, decides_as_the_published_one_where_no_pair_fits_perfectly) {
  std::vector<std::uint32_t> const odd_sums{2, 5, 7, 3};  // 7, 9, 5; then 12
  EXPECT_EQ(grouped("alignment_fixed", odd_sums), (groups_of{{0, 2}, {1, 3}}));
  EXPECT_EQ(grouped("alignment", odd_sums), (groups_of{{0, 2}, {1, 3}}));
}

TEST(merging_together, launches_everything_at_once) {
  EXPECT_EQ(grouped("together", {7, 3, 4, 6}), (groups_of{{0, 1, 2, 3}}));
  EXPECT_EQ(time_of("together", {7, 3, 4, 6}), 3);
}

TEST(merging_together, begins_with_the_longest_blocks_and_keeps_the_order_of_equals) {
  std::vector<merge_candidate> const waiting{{1, 20}, {1, 50}, {1, 20}, {1, 0}, {1, 90}};
  EXPECT_EQ(make_merge_policy()->group({waiting, ten}), (groups_of{{4, 1, 0, 2, 3}}));
}

TEST(merging_together, takes_the_oldest_kernels_that_one_launch_holds_and_the_next_in_another) {
  std::vector<merge_candidate> const waiting{{1, 20}, {1, 50}, {1, 20}, {1, 70}, {1, 90}};
  EXPECT_EQ(make_merge_policy()->group({waiting, ten, 2}), (groups_of{{1, 0}, {3, 2}, {4}}));
}

TEST(blocks_of_launches, adds_up_beyond_32_bits) {
  auto const waiting = kernels({0xffffffff, 0xffffffff, 1});
  groups_of const all{{0, 1, 2}};
  EXPECT_THAT(blocks_of_launches({waiting, ten}, all), testing::ElementsAre(0x1ffffffffull));
}

TEST(merge_policies, refuses_an_unknown_name_and_lists_the_known_ones) {
  try {
    make_merge_policy("pairs");
    FAIL();
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "merge");
    EXPECT_EQ(refused.value(), "pairs");
    EXPECT_EQ(refused.legal(), "none, neighbour, alignment, alignment_fixed or together");
  }
}

TEST(merge_policies, each_say_what_they_do) {
  for (auto const& policy : merge_policies()) EXPECT_FALSE(policy.summary.empty()) << policy.name;
}

}  // namespace
}  // namespace ballast::test::merge_policy_test

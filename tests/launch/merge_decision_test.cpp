// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

std::vector<kernel_facts> small_kernels() {
  kernel_facts const small{.blocks = 20, .blocks_per_multiprocessor = 4, .block_ns = 2000};
  return std::vector<kernel_facts>(8, small);
}

/// Kernels that are better merged, so that a test has to change no more than it is about.
struct merge_facts {
  std::vector<kernel_facts> kernels = small_kernels();
  family_facts family{.blocks_per_multiprocessor = 2};
  launch_costs costs{.multiprocessors = multiprocessor_count(132), .start_ns = 1000, .issue_ns = 4400};

  merge_decision decision() const { return decide_merge(kernels, family, costs); }
  merge_verdict verdict() const { return decision().verdict; }
};

TEST(deciding_a_merge, merges_small_kernels) {
  auto const decision = merge_facts().decision();
  EXPECT_EQ(decision.verdict, merge_verdict::merge);
  EXPECT_EQ(decision.predicted.merged_busy, 2000);  // 160 blocks, 264 at a time
  EXPECT_EQ(decision.predicted.merged, 4400 + 1000 + 2000);
  EXPECT_EQ(decision.predicted.streams, 8 * 4400 + 1000 + 2000);
}

TEST(deciding_a_merge, refuses_more_kernels_than_a_launch_takes) {
  merge_facts facts;
  facts.family.max_kernels = 8;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.family.max_kernels = 7;
  EXPECT_EQ(facts.verdict(), merge_verdict::too_many_kernels);
}

TEST(deciding_a_merge, refuses_a_kernel_of_another_family) {
  merge_facts facts;
  facts.kernels[7].family = 1;
  EXPECT_EQ(facts.verdict(), merge_verdict::other_family);
}

TEST(deciding_a_merge, refuses_a_merged_kernel_that_spills) {
  merge_facts facts;
  facts.family.spills = true;
  EXPECT_EQ(facts.verdict(), merge_verdict::spills);
}

TEST(deciding_a_merge, refuses_kernels_of_different_priorities) {
  merge_facts facts;
  for (auto& kernel : facts.kernels) kernel.priority = 3;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.kernels[5].priority = 2;
  EXPECT_EQ(facts.verdict(), merge_verdict::priority_differs);
}

TEST(deciding_a_merge, refuses_arguments_that_do_not_fit) {
  merge_facts facts;
  for (auto& kernel : facts.kernels) kernel.argument_bytes = 1000;
  facts.family.argument_bytes = 8000;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.family.argument_bytes = 7999;
  EXPECT_EQ(facts.verdict(), merge_verdict::arguments_do_not_fit);
  for (auto& kernel : facts.kernels) kernel.argument_bytes = 0x20000000;  // 2^32 in all
  EXPECT_EQ(facts.verdict(), merge_verdict::arguments_do_not_fit);
}

TEST(deciding_a_merge, refuses_a_grid_that_fills_the_device_four_times) {
  merge_facts facts;
  facts.kernels[1].blocks = 4 * 132 * 4 - 1;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.kernels[1].blocks = 4 * 132 * 4;
  EXPECT_EQ(facts.verdict(), merge_verdict::grid_fills_device);
}

TEST(deciding_a_merge, refuses_to_take_occupancy_from_a_kernel_that_needs_it) {
  merge_facts facts;
  facts.kernels[3].needs_occupancy = true;
  EXPECT_EQ(facts.verdict(), merge_verdict::occupancy_lost);
  facts.kernels[3].blocks_per_multiprocessor = 2;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(deciding_a_merge, refuses_a_kernel_whose_time_varies_if_others_would_wait_long) {
  merge_facts facts;
  facts.costs.issue_ns = 250;
  facts.kernels[2].block_ns = 2001;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.kernels[2].time_varies = true;
  EXPECT_EQ(facts.verdict(), merge_verdict::time_varies);
  facts.kernels[2].block_ns = 2000;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(deciding_a_merge, refuses_a_kernel_of_levels_whose_blocks_are_more_than_eight_times_as_long) {
  merge_facts facts;
  facts.kernels[0].blocks = 265;
  facts.kernels[0].block_ns = 16'001;
  facts.costs.issue_ns = 20'000;
  EXPECT_EQ(facts.verdict(), merge_verdict::lengths_differ);
  facts.kernels[0].block_ns = 16'000;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(deciding_a_merge, does_not_mind_a_long_kernel_of_one_level) {
  merge_facts facts;
  facts.kernels[0].blocks = 264;
  facts.kernels[0].block_ns = 16'001;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

/// Two kernels that each fill the device exactly, so that only a launch is saved.
merge_facts full_levels(std::int64_t block_ns = 100'000) {
  merge_facts facts;
  facts.kernels.assign(2, {.blocks = 132, .block_ns = block_ns});
  facts.family.blocks_per_multiprocessor = 1;
  return facts;
}

TEST(deciding_a_merge, merges_for_the_time_of_the_host_alone) {
  auto const decision = full_levels().decision();
  EXPECT_EQ(decision.verdict, merge_verdict::merge);
  EXPECT_EQ(decision.predicted.merged_busy, 200'000);
  EXPECT_EQ(decision.predicted.apart_busy, 200'000);
  EXPECT_EQ(decision.predicted.series, 4400 + 2 * 101'000);
}

TEST(deciding_a_merge, refuses_to_merge_for_less_than_a_hundredth) {
  EXPECT_EQ(full_levels(217'000).verdict(), merge_verdict::merge);    // 4400 of 439 400
  EXPECT_EQ(full_levels(218'000).verdict(), merge_verdict::no_gain);  // of 441 400
}

TEST(deciding_a_merge, refuses_what_costs_the_device_more_than_it_saves_the_host) {
  auto facts = full_levels(8'000);
  for (auto& kernel : facts.kernels) kernel.blocks_per_multiprocessor = 2;  // apart, both at once
  EXPECT_EQ(facts.verdict(), merge_verdict::no_gain);                       // 8000 longer for 4400
  facts = full_levels(4'000);
  for (auto& kernel : facts.kernels) kernel.blocks_per_multiprocessor = 2;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(deciding_a_merge, merges_a_long_kernel_with_short_ones_that_it_does_not_delay) {
  merge_facts facts;
  facts.kernels[0].block_ns = 215'000;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(deciding_a_merge, merges_kernels_of_unknown_time) {
  auto facts = full_levels();
  facts.kernels[0].block_ns = 0;
  auto const decision = facts.decision();
  EXPECT_EQ(decision.verdict, merge_verdict::merge);
  EXPECT_EQ(decision.predicted.merged_busy, 0);
}

TEST(deciding_a_merge, refuses_fewer_than_two_kernels_and_what_is_out_of_range) {
  auto const refused = [](merge_facts const& facts) -> std::string {
    return refused_argument([&] { facts.decision(); });
  };
  merge_facts one, no_blocks, no_family, no_device;
  one.kernels.resize(1);
  no_blocks.kernels[2].blocks = 0;
  no_family.family.blocks_per_multiprocessor = 0;
  no_device.costs.multiprocessors = multiprocessor_count(0);
  EXPECT_EQ(refused(one), "kernels");
  EXPECT_EQ(refused(no_blocks), "blocks");
  EXPECT_EQ(refused(no_family), "blocks_per_multiprocessor");
  EXPECT_EQ(refused(no_device), "multiprocessors");
}

TEST(merge_verdicts, have_names_of_their_own_and_a_sentence) {
  std::set<std::string_view> names;
  for (auto const& each : verdict_counts().listed()) {
    EXPECT_FALSE(each.verdict.summary.empty()) << each.verdict.name;
    names.insert(each.verdict.name);
  }
  EXPECT_EQ(names.size(), merge_verdict_count);
  EXPECT_EQ(description(merge_verdict::merge).name, "merge");
  EXPECT_EQ(description(merge_verdict::spills).name, "spills");
  EXPECT_EQ(description(merge_verdict::learned).name, "learned");
}

TEST(merge_verdicts, are_counted_each_by_itself) {
  verdict_counts counts;
  counts.add(merge_verdict::merge);
  counts.add(merge_verdict::no_gain);
  counts.add(merge_verdict::no_gain);
  EXPECT_EQ(counts.of(merge_verdict::no_gain), 2u);
  EXPECT_EQ(counts.of(merge_verdict::spills), 0u);
  for (auto const& each : counts.listed())
    EXPECT_EQ(each.count, each.verdict.name == "no_gain" ? 2u : each.verdict.name == "merge")
        << each.verdict.name;
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/merge_judgement.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "refused_argument.hpp"

namespace ballast::test {
namespace {

std::vector<kernel_facts> small_kernels() {
  kernel_facts const small{.blocks = 20, .blocks_per_multiprocessor = 4, .block_ns = 2000};
  return std::vector<kernel_facts>(8, small);
}

/// Kernels that are better merged, so that a test has to change no more than it is about.
struct judged {
  std::vector<kernel_facts> kernels = small_kernels();
  family_facts family{.blocks_per_multiprocessor = 2};
  launch_costs costs{.multiprocessors = multiprocessor_count(132), .start_ns = 1000, .issue_ns = 4400};

  merge_judgement judgement() const { return judge(kernels, family, costs); }
  merge_verdict verdict() const { return judgement().verdict; }
};

TEST(judging_a_merge, merges_small_kernels) {
  auto const judgement = judged().judgement();
  EXPECT_EQ(judgement.verdict, merge_verdict::merge);
  EXPECT_EQ(judgement.predicted.merged_busy, 2000);  // 160 blocks, 264 at a time
  EXPECT_EQ(judgement.predicted.merged, 4400 + 1000 + 2000);
  EXPECT_EQ(judgement.predicted.streams, 8 * 4400 + 1000 + 2000);
}

TEST(judging_a_merge, refuses_more_kernels_than_a_launch_takes) {
  judged facts;
  facts.family.most_kernels = 8;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.family.most_kernels = 7;
  EXPECT_EQ(facts.verdict(), merge_verdict::too_many_kernels);
}

TEST(judging_a_merge, refuses_a_kernel_of_another_family) {
  judged facts;
  facts.kernels[7].family = 1;
  EXPECT_EQ(facts.verdict(), merge_verdict::other_family);
}

TEST(judging_a_merge, refuses_a_merged_kernel_that_spills) {
  judged facts;
  facts.family.spills = true;
  EXPECT_EQ(facts.verdict(), merge_verdict::spills);
}

TEST(judging_a_merge, refuses_kernels_of_different_priorities) {
  judged facts;
  for (auto& kernel : facts.kernels) kernel.priority = 3;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.kernels[5].priority = 2;
  EXPECT_EQ(facts.verdict(), merge_verdict::priority_differs);
}

TEST(judging_a_merge, refuses_arguments_that_do_not_fit) {
  judged facts;
  for (auto& kernel : facts.kernels) kernel.argument_bytes = 1000;
  facts.family.argument_bytes = 8000;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.family.argument_bytes = 7999;
  EXPECT_EQ(facts.verdict(), merge_verdict::arguments_do_not_fit);
  for (auto& kernel : facts.kernels) kernel.argument_bytes = 0x20000000;  // 2^32 in all
  EXPECT_EQ(facts.verdict(), merge_verdict::arguments_do_not_fit);
}

TEST(judging_a_merge, refuses_a_grid_that_fills_the_device_four_times) {
  judged facts;
  facts.kernels[1].blocks = 4 * 132 * 4 - 1;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
  facts.kernels[1].blocks = 4 * 132 * 4;
  EXPECT_EQ(facts.verdict(), merge_verdict::grid_fills_device);
}

TEST(judging_a_merge, refuses_to_take_occupancy_from_a_kernel_that_needs_it) {
  judged facts;
  facts.kernels[3].needs_occupancy = true;
  EXPECT_EQ(facts.verdict(), merge_verdict::occupancy_lost);
  facts.kernels[3].blocks_per_multiprocessor = 2;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(judging_a_merge, refuses_a_kernel_of_levels_whose_blocks_are_more_than_eight_times_as_long) {
  judged facts;
  facts.kernels[0].blocks = 265;
  facts.kernels[0].block_ns = 16'001;
  facts.costs.issue_ns = 20'000;
  EXPECT_EQ(facts.verdict(), merge_verdict::lengths_differ);
  facts.kernels[0].block_ns = 16'000;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(judging_a_merge, does_not_mind_a_long_kernel_of_one_level) {
  judged facts;
  facts.kernels[0].blocks = 264;
  facts.kernels[0].block_ns = 16'001;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

/// Two kernels that each fill the device exactly, so that only a launch is saved.
judged full_levels(std::int64_t block_ns = 100'000) {
  judged facts;
  facts.kernels.assign(2, {.blocks = 132, .block_ns = block_ns});
  facts.family.blocks_per_multiprocessor = 1;
  return facts;
}

TEST(judging_a_merge, merges_for_the_time_of_the_host_alone) {
  auto const judgement = full_levels().judgement();
  EXPECT_EQ(judgement.verdict, merge_verdict::merge);
  EXPECT_EQ(judgement.predicted.merged_busy, 200'000);
  EXPECT_EQ(judgement.predicted.apart_busy, 200'000);
  EXPECT_EQ(judgement.predicted.series, 4400 + 2 * 101'000);
}

TEST(judging_a_merge, refuses_to_merge_for_less_than_a_hundredth) {
  EXPECT_EQ(full_levels(217'000).verdict(), merge_verdict::merge);    // 4400 of 439 400
  EXPECT_EQ(full_levels(218'000).verdict(), merge_verdict::no_gain);  // of 441 400
}

TEST(judging_a_merge, refuses_what_costs_the_device_more_than_it_saves_the_host) {
  auto facts = full_levels(8'000);
  for (auto& kernel : facts.kernels) kernel.blocks_per_multiprocessor = 2;  // apart, both at once
  EXPECT_EQ(facts.verdict(), merge_verdict::no_gain);                       // 8000 longer for 4400
  facts = full_levels(4'000);
  for (auto& kernel : facts.kernels) kernel.blocks_per_multiprocessor = 2;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(judging_a_merge, merges_a_long_kernel_with_short_ones_that_it_does_not_delay) {
  judged facts;
  facts.kernels[0].block_ns = 215'000;
  EXPECT_EQ(facts.verdict(), merge_verdict::merge);
}

TEST(judging_a_merge, merges_kernels_of_unknown_time) {
  auto facts = full_levels();
  facts.kernels[0].block_ns = 0;
  auto const judgement = facts.judgement();
  EXPECT_EQ(judgement.verdict, merge_verdict::merge);
  EXPECT_EQ(judgement.predicted.merged_busy, 0);
}

TEST(judging_a_merge, refuses_fewer_than_two_kernels_and_what_is_out_of_range) {
  auto const refused = [](judged const& facts) -> std::string {
    return refused_argument([&] { facts.judgement(); });
  };
  judged one, no_blocks, no_family, no_device;
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
  EXPECT_EQ(told(merge_verdict::merge).name, "merge");
  EXPECT_EQ(told(merge_verdict::spills).name, "spills");
  EXPECT_EQ(told(merge_verdict::learned).name, "learned");
}

TEST(merge_verdicts, are_counted_each_by_itself) {
  verdict_counts counts;
  counts.add(merge_verdict::merge);
  counts.add(merge_verdict::no_gain);
  counts.add(merge_verdict::no_gain);
  EXPECT_EQ(counts.of(merge_verdict::no_gain), 2u);
  EXPECT_EQ(counts.of(merge_verdict::spills), 0u);
  EXPECT_EQ(counts.refusals(), 2u);
  for (auto const& each : counts.listed())
    EXPECT_EQ(each.count, each.verdict.name == "no_gain" ? 2u : each.verdict.name == "merge")
        << each.verdict.name;
}

}  // namespace
}  // namespace ballast::test

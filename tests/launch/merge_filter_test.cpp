// SPDX-License-Identifier: Apache-2.0
#include "launch_plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

launch_costs const costs{.multiprocessors = multiprocessor_count(132), .start_ns = 1000, .issue_ns = 4400};
using kernels_of = std::vector<kernel_facts>;

kernels_of kernels_numbered(std::vector<std::uint32_t> const& numbers, std::uint32_t family = 0) {
  kernels_of kernels;
  for (auto const number : numbers)
    kernels.push_back({.family = family, .kernel = number, .blocks = 20, .block_ns = 2000});
  return kernels;
}

struct filtered_again {
  merge_filter filter{costs};

  merge_verdict verdict(kernels_of const& kernels) {
    return filter.decide_merge(kernels, {.family = kernels[0].family}).verdict;
  }
  void ran(kernels_of const& kernels, std::int64_t span_ns, int times = 1) {
    for (int i = 0; i < times; ++i) filter.record(kernels, {1000, 1000, 1000, 1000, 1000}, span_ns);
  }
  int merged_of(int asked, kernels_of const& kernels) {
    int merged = 0;
    for (int i = 0; i < asked; ++i) merged += verdict(kernels) == merge_verdict::merge;
    return merged;
  }
};

auto const some = kernels_numbered({1, 2, 100});

TEST(merge_filter, refuses_what_was_slower_than_predicted_by_more_than_a_tenth_three_times_in_a_row) {
  filtered_again filter;
  filter.ran(some, 1101, 2);
  EXPECT_EQ(filter.verdict(some), merge_verdict::merge);
  filter.ran(some, 1101);
  EXPECT_EQ(filter.verdict(some), merge_verdict::learned);
}

TEST(merge_filter, does_not_count_slow_launches_with_others_between) {
  filtered_again filter;
  for (int i = 0; i < 5; ++i) filter.ran(some, 2000, 2), filter.ran(some, 1100);
  EXPECT_EQ(filter.verdict(some), merge_verdict::merge);
}

TEST(merge_filter, tries_one_time_in_64_whether_that_still_holds) {
  filtered_again filter;
  filter.ran(some, 2000, 3);
  EXPECT_EQ(filter.merged_of(63, some), 0);
  EXPECT_EQ(filter.merged_of(1, some), 1);
  EXPECT_EQ(filter.merged_of(640, some), 10);
}

TEST(merge_filter, refuses_again_if_the_trial_was_slow_and_forgives_if_it_was_not) {
  filtered_again filter;
  filter.ran(some, 2000, 3);
  filter.merged_of(64, some);
  filter.ran(some, 2000);
  EXPECT_EQ(filter.verdict(some), merge_verdict::learned);
  filter.merged_of(63, some);
  filter.ran(some, 1000);
  EXPECT_EQ(filter.merged_of(200, some), 200);
}

TEST(merge_filter, knows_a_set_whatever_its_order_repetitions_and_blocks) {
  filtered_again filter;
  filter.ran(some, 2000, 3);
  auto others = kernels_numbered({100, 2, 2, 1});
  others[0].blocks = 3;
  EXPECT_EQ(filter.verdict(others), merge_verdict::learned);
}

TEST(merge_filter, tells_other_sets_and_other_families_apart) {
  filtered_again filter;
  filter.ran(some, 2000, 3);
  for (auto const& others : {kernels_numbered({1, 2}), kernels_numbered({1, 2, 36}),
                             kernels_numbered({1, 2, 100, 3}), kernels_numbered({1, 2, 100}, 1)})
    EXPECT_EQ(filter.verdict(others), merge_verdict::merge);
}

TEST(merge_filter, never_mistakes_one_of_very_many_sets_for_another) {
  filtered_again filter;
  for (std::uint32_t one = 0; one < 128; ++one)
    for (std::uint32_t other = 0; other < one; ++other)
      filter.ran(kernels_numbered({one, other}), (one + other) % 2 ? 2000 : 1000, 3);
  int refused = 0;
  for (std::uint32_t one = 0; one < 128; ++one)
    for (std::uint32_t other = 0; other < one; ++other) {
      auto const learned = filter.verdict(kernels_numbered({one, other})) == merge_verdict::learned;
      refused += learned;
      EXPECT_FALSE(learned && (one + other) % 2 == 0) << one << " and " << other;
    }
  EXPECT_GT(refused, 200);  // of the 256 that it remembers
}

TEST(merge_filter, learns_nothing_where_nothing_was_predicted) {
  filtered_again filter;
  for (int i = 0; i < 5; ++i) filter.filter.record(some, {}, 2000);
  EXPECT_EQ(filter.verdict(some), merge_verdict::merge);
}

TEST(merge_filter, gives_the_other_reasons_first_and_counts_all) {
  filtered_again filter;
  filter.ran(some, 2000, 3);
  EXPECT_EQ(filter.filter.decide_merge(some, {.spills = true}).verdict, merge_verdict::spills);
  filter.verdict(some);
  filter.verdict(kernels_numbered({5, 6}));
  auto const& counts = filter.filter.counts();
  EXPECT_EQ(counts.of(merge_verdict::spills), 1u);
  EXPECT_EQ(counts.of(merge_verdict::learned), 1u);
  EXPECT_EQ(counts.of(merge_verdict::merge), 1u);
}

TEST(merge_filter, refuses_what_is_out_of_range_by_its_name) {
  auto const refused = [](kernels_of const& kernels, double predicted, std::int64_t span) -> std::string {
    return refused_argument([&] {
      merge_filter(costs).record(kernels, {predicted, predicted, predicted, predicted, predicted}, span);
    });
  };
  EXPECT_EQ(refused({}, 1, 1), "kernels");
  EXPECT_EQ(refused(some, -1, 1), "predicted");
  EXPECT_EQ(refused(some, 1, 0), "span_ns");
  EXPECT_THROW(merge_filter({multiprocessor_count(0)}), bad_argument);
}

}  // namespace
}  // namespace ballast::test

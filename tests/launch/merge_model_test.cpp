// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "invented_blocks.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using kernels_of = std::vector<kernel_facts>;

kernels_of random_kernels(random_numbers& random, std::size_t max_kernels, std::uint32_t max_blocks) {
  kernels_of kernels(random.from_to<std::size_t>(1, max_kernels));
  for (auto& kernel : kernels) kernel.blocks = random.from_to(1u, max_blocks);
  return kernels;
}

std::vector<std::uint64_t> blocks_of(kernels_of const& kernels) {
  std::vector<std::uint64_t> blocks;
  for (auto const& kernel : kernels) blocks.push_back(kernel.blocks);
  return blocks;
}

TEST(merge_model, is_the_papers_for_equal_blocks_one_at_a_time_and_a_start_of_one_block_exactly) {
  random_numbers random(4);
  for (int queue = 0; queue < 2000; ++queue) {
    auto kernels = random_kernels(random, 40, 500);
    auto const block_ns = random.from_to<std::int64_t>(1, 1'000'000);
    for (auto& kernel : kernels) kernel.block_ns = block_ns;
    multiprocessor_count const multiprocessors(random.from_to(1u, 200u));
    auto const time = static_cast<double>(block_ns);
    auto const times = predict(kernels, {}, {multiprocessors, time});
    auto const blocks = blocks_of(kernels);
    std::vector const sum{std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0})};
    EXPECT_EQ(times.merged, paper_time(sum, multiprocessors) * time);
    EXPECT_EQ(times.series, paper_time(blocks, multiprocessors) * time);
  }
}

/// Sorted so that quantiles can be read off.
struct errors {
  std::vector<double> relative;

  double quantile(double part) {
    std::ranges::sort(relative);
    return relative[static_cast<std::size_t>(part * static_cast<double>(relative.size() - 1))];
  }
};

struct invented_device {
  std::uint32_t multiprocessors, blocks_per_multiprocessor;
  std::size_t slots() const { return std::size_t{multiprocessors} * blocks_per_multiprocessor; }
};

invented_device random_device(random_numbers& random) {
  return {random.from_to(10u, 150u), random.from_to(1u, 8u)};
}

double predicted_busy(kernels_of const& kernels, invented_device const& device) {
  return predict(kernels, {.blocks_per_multiprocessor = device.blocks_per_multiprocessor},
                 {multiprocessor_count(device.multiprocessors)})
      .merged_busy;
}

/// How far the prediction is from blocks that run one by one, whose times spread by the part `spread` each
/// way.
template <class Times>
errors against_blocks(std::uint64_t seed, double spread, bool longest_first, Times block_ns) {
  random_numbers random(seed);
  errors all;
  for (int queue = 0; queue < 200; ++queue) {
    auto kernels = random_kernels(random, 64, 200);
    for (auto& kernel : kernels) kernel.block_ns = block_ns(random);
    if (longest_first) std::ranges::stable_sort(kernels, std::ranges::greater(), &kernel_facts::block_ns);
    auto const device = random_device(random);
    auto const run = run_on_slots(kernels, device.slots(), [&](kernel_facts const& kernel) {
      return static_cast<double>(kernel.block_ns) * random.from_to(1 - spread, 1 + spread);
    });
    all.relative.push_back(std::abs(predicted_busy(kernels, device) / run - 1));
  }
  return all;
}

std::int64_t equal(random_numbers&) { return 5000; }
std::int64_t one_of_four(random_numbers& random) { return 1000 << random.from_to(0, 3); }
std::int64_t any(random_numbers& random) { return random.from_to<std::int64_t>(1000, 16000); }

TEST(merge_model, agrees_with_blocks_run_one_by_one_exactly_if_all_are_equal) {
  for (bool const longest_first : {false, true})
    EXPECT_EQ(against_blocks(1, 0, longest_first, equal).quantile(1), 0);
}

TEST(merge_model, agrees_with_blocks_run_one_by_one_to_a_percent_if_the_longest_begin) {
  EXPECT_LT(against_blocks(2, 0, true, one_of_four).quantile(1), 1e-9);
  EXPECT_LT(against_blocks(3, 0, true, any).quantile(1), 0.01);
}

TEST(merge_model, agrees_with_blocks_run_one_by_one_to_two_percent_in_nine_of_ten_mixed_queues_in_any_order) {
  EXPECT_LT(against_blocks(2, 0, false, one_of_four).quantile(0.9), 0.01);
  EXPECT_LT(against_blocks(3, 0, false, any).quantile(0.9), 0.02);
}

TEST(merge_model, stays_within_a_tenth_if_the_times_of_blocks_spread_by_a_tenth) {
  for (auto const times : {equal, one_of_four, any})
    EXPECT_LT(against_blocks(4, 0.1, true, times).quantile(1), 0.1);
}

TEST(merge_model, is_within_a_fifth_in_nine_of_ten_queues_if_the_times_of_blocks_spread_by_a_quarter) {
  for (auto const times : {equal, one_of_four, any})
    EXPECT_LT(against_blocks(5, 0.25, true, times).quantile(0.9), 0.2);
}

TEST(merge_model, knows_that_the_order_of_unequal_kernels_matters) {
  kernels_of kernels{{.blocks = 1, .block_ns = 40}, {.blocks = 6, .block_ns = 10}};
  EXPECT_EQ(predicted_busy(kernels, {3, 1}),
            40);  // beside the long block two slots take three short ones each
  std::ranges::reverse(kernels);
  EXPECT_EQ(predicted_busy(kernels, {3, 1}), 60);  // two levels of short ones, then the long one
}

/// The nine slots are busy until eight different times at most, so that no two need be taken for one.
TEST(merge_model, is_exact_where_slots_come_to_be_busy_equally_long_whichever_others_are_in_between) {
  kernels_of kernels;
  auto const add = [&](std::uint32_t blocks, std::int64_t ns) {
    kernels.push_back({.blocks = blocks, .block_ns = ns});
  };
  add(1, 10), add(1, 15), add(2, 25);
  for (int const ns : {30, 31, 50, 60, 70}) add(1, ns);
  add(2, 10);    // until 20, and until 25 as two others
  add(3, 1000);  // until 1020, and two until 1025
  add(2, 2000);  // from 25 and from 30 on
  EXPECT_EQ(predicted_busy(kernels, {9, 1}), 2030);
}

TEST(merge_model, counts_a_kernel_of_unknown_time_as_nothing) {
  kernels_of const kernels{{.blocks = 7, .block_ns = 0}, {.blocks = 3, .block_ns = 10}};
  EXPECT_EQ(predicted_busy(kernels, {2, 1}), 20);
  EXPECT_EQ(predicted_busy({kernels[0]}, {2, 1}), 0);
}

TEST(merge_model, lets_blocks_take_as_long_as_they_need_of_what_they_share) {
  kernel_facts const bound{.blocks = 20, .blocks_per_multiprocessor = 4, .block_ns = 100, .shared_ns = 5};
  EXPECT_EQ(predicted_busy({bound}, {10, 4}), 100);
  EXPECT_EQ(predicted_busy({bound, bound}, {10, 4}), 200);  // all 40 at once want it twice over
  EXPECT_EQ(predicted_busy(kernels_of(6, bound), {10, 4}), 600);
  auto unbound = bound;
  unbound.shared_ns = 0;
  EXPECT_EQ(predicted_busy({bound, unbound}, {10, 4}), 100);
  EXPECT_EQ(predicted_busy(kernels_of(6, unbound), {10, 4}), 300);
}

TEST(merge_model, knows_that_a_level_of_bound_blocks_is_held_up_whatever_comes_later) {
  kernel_facts const bound{.blocks = 40, .block_ns = 101, .shared_ns = 5.05};
  kernel_facts const unbound{.blocks = 40, .block_ns = 100};
  EXPECT_NEAR(predicted_busy({bound, unbound}, {10, 4}), 202 + 100, 1e-9);
}

TEST(merge_model, lets_shorter_blocks_that_end_give_the_others_room) {
  kernel_facts const longer{.blocks = 10, .block_ns = 300, .shared_ns = 15};   // half of it
  kernel_facts const shorter{.blocks = 15, .block_ns = 100, .shared_ns = 10};  // one and a half
  EXPECT_EQ(predicted_busy({longer, shorter}, {10, 4}), 2 * 100 + 200);
}

TEST(merge_model, holds_up_series_and_streams_likewise) {
  launch_costs const costs{.multiprocessors = multiprocessor_count(10), .start_ns = 10, .issue_ns = 1};
  kernels_of const bound(4, {.blocks = 40, .blocks_per_multiprocessor = 4, .block_ns = 100, .shared_ns = 5});
  auto const times = predict(bound, {.blocks_per_multiprocessor = 4}, costs);
  EXPECT_EQ(times.series, 1 + 4 * (10 + 200));
  EXPECT_EQ(times.streams, 10 + 1 + 800);
  EXPECT_EQ(times.merged, 1 + 10 + 800);
  EXPECT_EQ(times.unshared_busy, 400);
}

TEST(merge_model, lets_series_wait_for_the_host_or_for_the_device) {
  kernels_of const kernels{{.blocks = 4, .block_ns = 100}, {.blocks = 8, .block_ns = 100}};
  launch_costs costs{.multiprocessors = multiprocessor_count(4), .start_ns = 10, .issue_ns = 50};
  EXPECT_EQ(predict(kernels, {}, costs).series, 50 + 10 + 100 + 10 + 200);
  costs.issue_ns = 1000;
  EXPECT_EQ(predict(kernels, {}, costs).series, 2 * 1000 + 10 + 200);
  EXPECT_EQ(predict(kernels, {}, costs).merged, 1000 + 10 + 300);
}

TEST(merge_model, limits_streams_by_issues_by_the_last_kernel_and_by_the_load) {
  launch_costs costs{.multiprocessors = multiprocessor_count(10), .start_ns = 5, .issue_ns = 50};
  kernels_of kernels(8, {.blocks = 1, .block_ns = 100});
  EXPECT_EQ(predict(kernels, {}, costs).streams, 5 + 8 * 50 + 100);
  kernels[0].block_ns = 1000;
  EXPECT_EQ(predict(kernels, {}, costs).streams, 5 + 50 + 1000);
  kernels_of const large(8, {.blocks = 30, .blocks_per_multiprocessor = 2, .block_ns = 100});
  EXPECT_EQ(predict(large, {}, costs).streams, 5 + 50 + 1200);
}

TEST(merge_model, predicts_at_most_what_kernels_on_streams_of_their_own_take) {
  random_numbers random(6);
  for (int queue = 0; queue < 300; ++queue) {
    auto kernels = random_kernels(random, 64, 200);
    for (auto& kernel : kernels) kernel.block_ns = any(random), kernel.blocks_per_multiprocessor = 4;
    auto const multiprocessors = random.from_to(10u, 150u);
    auto const issue_ns = static_cast<double>(random.from_to(0, 5000));
    auto const issued_late = run_on_slots(kernels, multiprocessors * 4, time_as_expected, issue_ns);
    auto const times = predict(kernels, {}, {multiprocessor_count(multiprocessors), 0, issue_ns});
    EXPECT_LE(times.streams, issued_late * (1 + 1e-12));
    EXPECT_LE(times.streams, times.series * (1 + 1e-12));
  }
}

TEST(merge_model, refuses_what_is_out_of_range_by_its_name) {
  auto const of_kernel = [](kernel_facts const& kernel) {
    return refused_argument([&] { predict({&kernel, 1}, {}, {}); });
  };
  EXPECT_EQ(of_kernel({.blocks = 0}), "blocks");
  EXPECT_EQ(of_kernel({.blocks_per_multiprocessor = 0}), "blocks_per_multiprocessor");
  EXPECT_EQ(of_kernel({.block_ns = -1}), "block_ns");
  EXPECT_EQ(of_kernel({.kernel = 128}), "kernel");
  EXPECT_EQ(of_kernel({.shared_ns = -1}), "shared_ns");
  EXPECT_EQ(of_kernel({.shared_ns = std::nan("")}), "shared_ns");
  kernel_facts const good;
  auto const refused_beside = [&](family_facts const& family, launch_costs const& costs) {
    return refused_argument([&] { predict({&good, 1}, family, costs); });
  };
  EXPECT_EQ(refused_argument([] { predict({}, {}, {}); }), "kernels");
  EXPECT_EQ(refused_beside({.blocks_per_multiprocessor = 0}, {}), "blocks_per_multiprocessor");
  EXPECT_EQ(refused_beside({.max_kernels = 1}, {}), "max_kernels");
  EXPECT_EQ(refused_beside({}, {multiprocessor_count(0)}), "multiprocessors");
  EXPECT_EQ(refused_beside({}, {.start_ns = -1}), "start_ns");
  EXPECT_EQ(refused_beside({}, {.issue_ns = std::numeric_limits<double>::infinity()}), "issue_ns");
  EXPECT_EQ(refused_beside({}, {}), "nothing");
}

}  // namespace
}  // namespace ballast::test

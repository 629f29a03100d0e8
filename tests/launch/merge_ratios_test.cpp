// SPDX-License-Identifier: Apache-2.0
// What merging gains by the model, as a mean over random queues. The expected ratios were computed apart from
// this code, by a program that shares nothing with it.
#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/launch_queue.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014).
class random_blocks {
 public:
  /// Uniform from 1 to `most`; the bias of the remainder is far below what is tested.
  std::uint32_t operator()(std::uint32_t most) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % most) + 1;
  }

 private:
  std::uint64_t state_ = 2012;
};

struct queue_kind {
  std::uint32_t multiprocessors, max_blocks;
  std::size_t kernels;
};

/// Launches and levels, so that the cost of a start can be chosen afterwards.
struct summed {
  double launches = 0, levels = 0;
};

using sums = std::map<std::string_view, summed>;

constexpr int queues = 10'000;

sums play(queue_kind const& kind) {
  random_blocks next;
  sums all;
  std::vector<merge_candidate> waiting(kind.kernels);
  merge_view const view{waiting, multiprocessor_count(kind.multiprocessors), kind.kernels};
  std::map<std::string_view, std::unique_ptr<merge_policy>> policies;
  for (auto const& policy : merge_policies()) policies[policy.name] = make_merge_policy(policy.name);
  for (int queue = 0; queue < queues; ++queue) {
    for (auto& kernel : waiting) kernel.blocks = next(kind.max_blocks);
    for (auto const& [name, policy] : policies) {
      auto const launches = blocks_of_launches(view, policy->group(view));
      all[name].launches += static_cast<double>(launches.size());
      all[name].levels += paper_time(launches, view.multiprocessors, 0);
    }
  }
  return all;
}

/// The ratio of mean times if a start costs so many levels.
double ratio(sums& all, std::string_view slower, std::string_view faster, double start_levels) {
  auto const time = [&](std::string_view name) {
    return all[name].levels + start_levels * all[name].launches;
  };
  return time(slower) / time(faster);
}

struct expected_ratios {
  double start_levels;
  double series_by_alignment, neighbour_by_alignment;
  double series_by_fixed, neighbour_by_fixed;  // 0 if not known
  double series_by_together;
};

void expect_ratios(sums& all, expected_ratios const& expected) {
  auto const expect = [&](std::string_view slower, std::string_view faster, double value) {
    if (value == 0) return;
    EXPECT_NEAR(ratio(all, slower, faster, expected.start_levels), value, 0.01 * value)
        << slower << " by " << faster << ", a start costs " << expected.start_levels;
  };
  expect("none", "alignment", expected.series_by_alignment);
  expect("neighbour", "alignment", expected.neighbour_by_alignment);
  expect("none", "alignment_fixed", expected.series_by_fixed);
  expect("neighbour", "alignment_fixed", expected.neighbour_by_fixed);
  expect("none", "together", expected.series_by_together);
}

TEST(merging_gains, what_the_model_says_for_20_kernels_on_the_papers_30_multiprocessors) {
  auto all = play({30, 100, 20});
  expect_ratios(all, {0, 1.233, 1.080, 1.243, 1.089, 1.289});
  expect_ratios(all, {0.25, 1.285, 1.073, 1.295, 1.082, 1.428});
  expect_ratios(all, {1, 1.400, 1.061, 1.409, 1.068, 1.819});
}

TEST(merging_gains, more_the_more_kernels_wait) {
  auto few = play({30, 100, 4}), many = play({30, 100, 128});
  expect_ratios(few, {1, 1.349, 1.022, 1.355, 0, 1.558});
  expect_ratios(many, {1, 1.427, 1.082, 1.438, 0, 1.886});
}

TEST(merging_gains, most_on_132_multiprocessors_that_no_kernel_fills) {
  auto few = play({132, 100, 16}), many = play({132, 100, 64});
  expect_ratios(few, {1, 1.975, 1.111, 1.977, 0, 4.175});
  expect_ratios(many, {1, 1.999, 1.113, 1.999, 0, 4.949});
}

TEST(merging_gains, less_on_132_multiprocessors_that_kernels_fill) {
  auto few = play({132, 440, 16}), many = play({132, 440, 64});
  expect_ratios(few, {1, 1.401, 1.063, 1.404, 0, 1.801});
  expect_ratios(many, {1, 1.433, 1.084, 1.436, 0, 1.890});
}

TEST(merging_gains, nothing_over_neighbours_on_two_multiprocessors_unless_a_perfect_fit_is_ranked_first) {
  auto all = play({2, 7, 20});
  expect_ratios(all, {0, 1.042, 0.967, 1.137, 1.055, 1.137});
  expect_ratios(all, {1, 1.219, 0.972, 1.309, 1.044, 1.595});
}

}  // namespace
}  // namespace ballast::test

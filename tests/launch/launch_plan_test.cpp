// SPDX-License-Identifier: Apache-2.0
#include "launch_plan.hpp"

#include <gtest/gtest.h>

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::uint32_t max_kernels = 4;

/// Launch stream p submitted at ages[p]; all launch the same kernel of one block.
launch_plan plan_of(std::string const& order, std::vector<std::uint64_t> const& ages) {
  launch_plan plan(make_order_policy(order), make_merge_policy("together"), {{.max_kernels = max_kernels}},
                   {.multiprocessors = multiprocessor_count(10)});
  for (std::uint32_t p = 0; p < ages.size(); ++p)
    plan.offer({.order = {.launch_stream = p, .submitted = ages[p]}, .is_listed = true});
  return plan;
}

std::vector<std::uint32_t> streams_of_next(launch_plan& plan) {
  std::vector<std::uint32_t> const in_flight(2);
  auto const* const next = plan.next(in_flight);
  return next == nullptr ? std::vector<std::uint32_t>{} : next->launch_streams;
}

using launch_streams = std::vector<std::uint32_t>;

TEST(launch_plan, merges_the_oldest_of_more_than_one_launch_takes_by_their_age) {
  auto plan = plan_of("passthrough", {50, 10, 90, 30, 70, 20, 80, 40, 60, 0});
  EXPECT_EQ(streams_of_next(plan), (launch_streams{9, 1, 5, 3}));
  EXPECT_EQ(streams_of_next(plan), (launch_streams{7, 0, 8, 4}));
  EXPECT_EQ(streams_of_next(plan), (launch_streams{6, 2}));
  EXPECT_EQ(streams_of_next(plan), launch_streams());
}

TEST(launch_plan, merges_the_oldest_with_the_one_whose_turn_it_is) {
  auto plan = plan_of("round_robin", {50, 10, 90, 30, 70, 20});
  EXPECT_EQ(streams_of_next(plan), (launch_streams{0, 1, 5, 3}));
  EXPECT_EQ(streams_of_next(plan), (launch_streams{2, 4}));
}

TEST(launch_plan, chains_what_may_be_merged) {
  auto const next_of = [](launch_plan& plan) { return plan.next(std::vector<std::uint32_t>(2)); };
  auto plan = plan_of("passthrough", {10});
  EXPECT_TRUE(next_of(plan)->may_chain);
  plan.offer({.order = {.launch_stream = 0}, .is_listed = false});
  EXPECT_FALSE(next_of(plan)->may_chain) << "a kernel of no set";
  plan.allow_merging(false);
  plan.offer({.order = {.launch_stream = 0}, .is_listed = true});
  EXPECT_FALSE(next_of(plan)->may_chain) << "in another mode";
}

}  // namespace
}  // namespace ballast::test

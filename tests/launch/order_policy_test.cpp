// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/order_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"
#include "invented_launch_streams.hpp"

namespace ballast::test {

using namespace detail;
namespace {

using launches = std::vector<waiting_launch>;
using streams = std::vector<std::uint32_t>;

/// The launch stream that a policy chooses and the stream, or {-1, -1} for nothing.
std::pair<int, int> decided(order_policy& policy, launches const& waiting, streams const& in_flight) {
  auto const decision = policy.decide({waiting, in_flight});
  if (!decision) return {-1, -1};
  return {int(waiting[decision->launch].launch_stream), int(decision->stream)};
}
constexpr std::pair nothing{-1, -1};

/// The launch streams in the order in which the policy issues what waits from the start, on one stream each.
std::vector<std::uint32_t> order_of(order_policy& policy, std::vector<submission> const& submissions) {
  std::vector<std::uint32_t> launch_streams;
  // One multiprocessor and one queue run what is issued in the order in which it is issued.
  for (auto const& run : invented_launch_streams(submissions, {1, 1, 8}).play(policy))
    launch_streams.push_back(run.kernel.launch_stream);
  return launch_streams;
}

bad_argument refusal_of(launches const& waiting, streams const& in_flight) {
  try {
    make_order_policy("held")->decide({waiting, in_flight});
  } catch (bad_argument const& refused) { return refused; }
  return {"nothing", "", ""};
}

TEST(passthrough, issues_in_the_order_of_submission_on_a_stream_per_launch_stream) {
  auto const policy = make_order_policy("passthrough");
  launches const waiting{{.launch_stream = 0, .submitted = 9}, {.launch_stream = 2, .submitted = 4}};
  EXPECT_EQ(decided(*policy, waiting, streams(4)), std::pair(2, 2));
  EXPECT_EQ(decided(*policy, waiting, {0, 0, 7, 0}), std::pair(2, 2));
}

TEST(passthrough, lets_launch_streams_beyond_the_streams_share_them) {
  auto const policy = make_order_policy("passthrough");
  EXPECT_EQ(decided(*policy, {{.launch_stream = 6}}, streams(4)), std::pair(6, 2));
}

TEST(round_robin, takes_one_launch_of_each_launch_stream_in_turn) {
  auto const policy = make_order_policy("round_robin");
  EXPECT_THAT(order_of(*policy, {{2}, {0}, {0}, {0}, {1}, {2}}), testing::ElementsAre(0, 1, 2, 0, 2, 0));
}

TEST(round_robin, goes_on_with_the_next_round_if_a_launch_stream_submits_after_its_turn) {
  auto const policy = make_order_policy("round_robin");
  EXPECT_EQ(decided(*policy, {{.launch_stream = 1}, {.launch_stream = 2}}, streams(4)).first, 1);
  EXPECT_EQ(
      decided(*policy, {{.launch_stream = 0}, {.launch_stream = 1}, {.launch_stream = 2}}, streams(4)).first,
      2);
  EXPECT_EQ(decided(*policy, {{.launch_stream = 0}, {.launch_stream = 1}}, streams(4)).first, 0);
  EXPECT_EQ(decided(*policy, {{.launch_stream = 0}, {.launch_stream = 1}}, streams(4)).first, 1);
}

TEST(round_robin, follows_a_predecessor_to_its_stream_and_else_takes_the_emptiest) {
  auto const policy = make_order_policy("round_robin");
  EXPECT_EQ(decided(*policy, {{.launch_stream = 0, .predecessor_on = 2}}, {1, 0, 3}), std::pair(0, 2));
  EXPECT_EQ(decided(*policy, {{.launch_stream = 0}}, {2, 1, 1}), std::pair(0, 1));
}

TEST(round_robin, with_priorities_gives_each_launch_stream_one_turn_a_round_too) {
  auto const policy = make_order_policy("round_robin", "priority");
  std::vector<submission> const submissions{
      {.launch_stream = 0, .priority = 1}, {.launch_stream = 0, .priority = 1},
      {.launch_stream = 1, .priority = 5}, {.launch_stream = 1, .priority = 5},
      {.launch_stream = 2, .priority = 1}, {.launch_stream = 2, .priority = 9}};
  EXPECT_THAT(order_of(*policy, submissions), testing::ElementsAre(1, 0, 2, 2, 1, 0));
}

TEST(held, issues_a_launch_only_once_its_predecessor_is_done) {
  auto const policy = make_order_policy("held");
  launches waiting{{.launch_stream = 0, .predecessor_on = 0}};
  EXPECT_EQ(decided(*policy, waiting, {1, 0}), nothing);
  waiting.push_back({.launch_stream = 1, .submitted = 5});
  EXPECT_EQ(decided(*policy, waiting, {1, 0}), std::pair(1, 1));
  waiting[0].predecessor_on.reset();
  EXPECT_EQ(decided(*policy, waiting, {0, 1}), std::pair(0, 0));
}

TEST(held, puts_one_launch_on_a_stream_at_a_time) {
  auto const policy = make_order_policy("held");
  EXPECT_EQ(decided(*policy, {{.launch_stream = 3}}, {1, 1}), nothing);
  EXPECT_EQ(decided(*policy, {{.launch_stream = 3}}, {1, 0}), std::pair(3, 1));
}

TEST(held, takes_those_that_may_start_in_the_order_of_submission) {
  auto const policy = make_order_policy("held");
  launches const waiting{{.launch_stream = 0, .submitted = 8}, {.launch_stream = 1, .submitted = 3}};
  EXPECT_EQ(decided(*policy, waiting, streams(2)).first, 1);
}

TEST(adaptive, takes_those_with_the_fewest_before_them_and_equals_in_turn) {
  auto const policy = make_order_policy("adaptive");
  launches const waiting{{.launch_stream = 0, .submitted = 1, .predecessor_on = 0},
                         {.launch_stream = 1, .submitted = 9, .predecessor_on = 1}};
  EXPECT_EQ(decided(*policy, waiting, {1, 1}), std::pair(0, 0));
  // The first one's next launch is older still, and it was seen that an earlier one has ended.
  EXPECT_EQ(decided(*policy, waiting, {1, 1}), std::pair(1, 1));
  EXPECT_EQ(decided(*policy, waiting, {2, 1}), std::pair(1, 1));
}

TEST(adaptive, holds_launches_where_queues_are_shared_and_one_takes_more_than_twice_as_long_as_another) {
  auto const decided_beside = [](std::int64_t longer_ns) {
    auto const policy = make_order_policy("adaptive", "fifo", 1);
    launches const waiting{{.launch_stream = 0, .expected_ns = 1000, .predecessor_on = 0},
                           {.launch_stream = 1, .expected_ns = longer_ns, .predecessor_on = 1}};
    return decided(*policy, waiting, {1, 1});
  };
  EXPECT_EQ(decided_beside(2000), std::pair(0, 0)) << "behind its predecessor";
  EXPECT_EQ(decided_beside(2001), nothing);
}

TEST(priority, goes_before_the_order_of_the_policy_and_equal_ones_keep_it) {
  launches const waiting{{.launch_stream = 0, .submitted = 5, .priority = -1},
                         {.launch_stream = 1, .submitted = 7, .priority = 2},
                         {.launch_stream = 2, .submitted = 6, .priority = 2}};
  for (auto const order : {"passthrough", "held"})
    EXPECT_EQ(decided(*make_order_policy(order, "priority"), waiting, streams(4)).first, 2) << order;
  EXPECT_EQ(decided(*make_order_policy("round_robin", "priority"), waiting, streams(4)).first, 1);
}

struct order_load {
  std::string name;
  std::vector<submission> submissions;
};

/// Of each launch stream so many launches, which come one stream after another or in turn.
order_load chains(std::string name, std::uint32_t streams, std::uint32_t each, bool in_turn,
                  std::function<std::int64_t(std::uint32_t, std::uint32_t)> const& duration) {
  order_load load{std::move(name), {}};
  for (std::uint32_t i = 0; i < streams * each; ++i) {
    auto const stream = in_turn ? i % streams : i / each, number = in_turn ? i / streams : i % each;
    load.submissions.push_back({stream, duration(stream, number)});
  }
  return load;
}

std::vector<order_load> order_loads() {
  auto const even = [](std::uint32_t, std::uint32_t) { return 100; };
  auto const uneven = [](std::uint32_t stream, std::uint32_t number) {
    return 1 + (stream + number) % 5 * 50;
  };
  auto const one_long = [](std::uint32_t stream, std::uint32_t) { return stream == 3 ? 400 : 50; };
  return {chains("8 even chains, one after another", 8, 40, false, even),
          chains("8 even chains in turn", 8, 40, true, even),
          chains("32 even chains, one after another", 32, 10, false, even),
          chains("one chain", 1, 100, true, even),
          chains("8 uneven chains", 8, 40, false, uneven),
          chains("8 uneven chains in turn", 8, 40, true, uneven),
          chains("a chain of long launches among short ones", 8, 40, false, one_long)};
}

/// When the last launch ends by an order, over the best end by any name.
double regret_of(std::string_view order, order_load const& load, std::size_t hardware_queues) {
  auto const end_by = [&](std::string_view name) {
    auto const policy = make_order_policy(name);
    return double(
        invented_launch_streams(load.submissions, {hardware_queues, 132, 16}).play(*policy).back().end);
  };
  auto best = std::numeric_limits<double>::max();
  for (auto const& other : order_policies()) best = std::min(best, end_by(other.name));
  return end_by(order) / best - 1;
}

// In the model a launch costs nothing and its end is known at once. What merged launches save is not in it
// (merge_model_test, dispatch_mode_test).
TEST(the_default_order, ends_at_most_a_tenth_later_than_the_best_by_name) {
  for (auto const& load : order_loads())
    for (std::size_t const queues : {8, 32})  // CUDA's default and most
      EXPECT_LE(regret_of(launch_options{}.order, load, queues), 0.1)
          << load.name << ", " << queues << " queues";
}

// There `held` is ideal, whose launches never stand before others. A GPU's host hears of an end late.
TEST(the_default_order, ends_at_most_four_fifths_later_where_hardware_queues_are_fewer_than_chains) {
  for (auto const& load : order_loads())
    for (std::size_t const queues : {1, 4})
      EXPECT_LE(regret_of(launch_options{}.order, load, queues), 0.8)
          << load.name << ", " << queues << " queues";
}

TEST(an_order_policy, refuses_a_view_that_is_out_of_range_by_the_members_name) {
  EXPECT_EQ(refusal_of({{.launch_stream = 0}}, {}).argument(), "in_flight");
  auto const refused = refusal_of({{.launch_stream = 0, .predecessor_on = 4}}, streams(4));
  EXPECT_EQ(refused.argument(), "predecessor_on");
  EXPECT_EQ(refused.value(), "4");
  EXPECT_EQ(refused.legal(), "below 4");
  EXPECT_EQ(refusal_of({{.expected_ns = -1}}, streams(4)).argument(), "expected_ns");
}

TEST(order_policies, refuses_an_unknown_name_and_lists_the_known_ones) {
  try {
    make_order_policy("random");
    FAIL();
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "order");
    EXPECT_EQ(refused.legal(), "passthrough, round_robin, held, adaptive or resident");
  }
}

TEST(order_policies, refuses_an_unknown_key_and_lists_the_known_ones) {
  try {
    make_order_policy("held", "shortest");
    FAIL();
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "key");
    EXPECT_EQ(refused.legal(), "fifo or priority");
  }
}

TEST(order_policies, and_keys_each_say_what_they_do) {
  for (auto const& policy : order_policies()) EXPECT_FALSE(policy.summary.empty()) << policy.name;
  for (auto const& key : order_keys()) EXPECT_FALSE(key.summary.empty()) << key.name;
}

}  // namespace
}  // namespace ballast::test

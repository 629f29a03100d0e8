// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "ballast/cluster_queue.hpp"
#include "cluster_model.hpp"
#include "is_deep_run.hpp"

using namespace ballast;
using namespace ballast::test;
using kind = detail::cluster_message::kind;

namespace {

/// Every order of events ends well.
void explore(cluster_case const& of, std::uint64_t min_states) {
  auto const report = cluster_explorer(of).explore();
  EXPECT_EQ(report.first_failure, "");
  EXPECT_GE(report.states, min_states);
}

TEST(cluster_protocol, two_ranks_execute_each_task_once_and_end_together) {
  explore({.ranks = 2, .batches = {{3}}}, 150);
  explore({.ranks = 2, .batches = {{2, 1}, {1}}}, 150);
}

TEST(cluster_protocol, three_ranks_execute_each_task_once_and_end_together) {
  explore({.ranks = 3, .batches = {{1}, {1}}}, 2'000);
  if (is_deep_run()) explore({.ranks = 3, .batches = {{2}, {1}}}, 30'000);
}

TEST(cluster_protocol, four_ranks_execute_each_task_once_and_end_together) {
  explore({.ranks = 4, .asks = 1, .batches = {{1}}}, 1'000);
  if (is_deep_run()) explore({.ranks = 4, .asks = 1, .batches = {{2}, {1}}}, 5'000);
}

TEST(cluster_protocol, ranks_without_tasks_end) { explore({.ranks = 3, .batches = {}}, 10); }

TEST(cluster_protocol, a_stop_at_any_time_returns_each_task_that_was_not_executed) {
  explore({.ranks = 2, .batches = {{3}}, .stops = true}, 300);
  explore({.ranks = 2, .batches = {{1}, {2}}, .stops = true}, 300);
  if (is_deep_run()) explore({.ranks = 3, .batches = {{1}}, .stops = true}, 7'000);
}

TEST(cluster_protocol, the_loss_of_a_rank_at_any_time_names_the_tasks_it_may_have_run) {
  explore({.ranks = 2, .batches = {{3}, {1}}, .losses = 1}, 2'000);
  explore({.ranks = 3, .asks = 1, .batches = {{1}}, .losses = 1}, 2'000);
  if (is_deep_run()) explore({.ranks = 3, .asks = 1, .batches = {{2}}, .losses = 1}, 50'000);
}

TEST(cluster_protocol, repeatable_tasks_of_a_lost_rank_are_executed_again) {
  explore({.ranks = 3, .asks = 1, .batches = {{1}}, .is_repeatable = true, .losses = 1}, 2'000);
  if (is_deep_run())
    explore({.ranks = 3, .asks = 1, .batches = {{1}}, .is_repeatable = true, .losses = 2}, 50'000);
}

TEST(cluster_protocol, a_task_ends_after_all_that_it_created_wherever_that_is_executed) {
  explore({.ranks = 2, .batches = {{2}}, .creates = 2}, 300);
  explore({.ranks = 2, .batches = {{1}, {1}}, .creates = 2}, 1'000);
  explore({.ranks = 3, .asks = 1, .batches = {{1}}, .creates = 1}, 500);
  if (is_deep_run()) explore({.ranks = 3, .asks = 1, .batches = {{1}}, .creates = 2}, 7'000);
}

TEST(cluster_protocol, a_stop_at_any_time_returns_no_created_task) {
  explore({.ranks = 2, .batches = {{2}}, .creates = 2, .stops = true}, 1'000);
}

TEST(cluster_protocol, the_loss_of_a_rank_at_any_time_names_the_tasks_whose_created_ones_it_may_have_run) {
  explore({.ranks = 2, .batches = {{2}}, .creates = 1, .losses = 1}, 1'000);
  explore({.ranks = 2, .batches = {{1}, {1}}, .creates = 1, .losses = 1}, 1'000);
  if (is_deep_run()) explore({.ranks = 3, .asks = 1, .batches = {{1}}, .creates = 1, .losses = 1}, 10'000);
}

TEST(cluster_protocol, created_tasks_of_a_lost_rank_are_executed_again_if_they_are_repeatable) {
  explore({.ranks = 2, .batches = {{2}}, .is_repeatable = true, .creates = 1, .losses = 1}, 1'000);
  if (is_deep_run())
    explore({.ranks = 3, .asks = 1, .batches = {{1}}, .is_repeatable = true, .creates = 1, .losses = 1},
            10'000);
}

TEST(cluster_protocol, a_rank_that_is_taken_for_lost_and_lives_does_no_harm) {
  explore({.ranks = 2, .batches = {{3}, {1}}, .false_alarms = 1}, 1'000);
  if (is_deep_run()) explore({.ranks = 3, .asks = 1, .batches = {{2}}, .false_alarms = 1}, 50'000);
}

TEST(cluster_protocol, every_policy_ends_well_in_orders_chosen_at_random) {
  for (auto const& [policy, what] : share_policies())
    for (std::uint64_t seed = 0; seed < (is_deep_run() ? 3000u : 200u); ++seed) {
      auto const ranks = std::uint32_t(2 + seed % 5);
      cluster_case of{.policy = std::string(policy), .ranks = ranks, .batches = {{5, 1}, {2}, {}, {1, 1}}};
      of.batches.resize(ranks);
      of.is_repeatable = seed % 2 == 0;
      of.losses = seed % 7 < 3 ? std::uint32_t(seed % 3) % ranks : 0;
      of.false_alarms = seed % 11 == 0;
      of.stops = seed % 13 == 0;
      ASSERT_EQ(play_at_random(of, seed), "") << policy;
    }
}

// The model must see what it is there to see.

std::string failure_with(cluster_case of, std::function<void(std::deque<detail::cluster_message>&)> fault) {
  of.fault = std::move(fault);
  return cluster_explorer(of).explore().first_failure;
}

TEST(cluster_protocol, the_model_sees_a_gift_that_arrives_twice) {
  auto const twice = [](auto& channel) {
    if (channel.front().what != kind::give || channel.front().has_more) return;
    channel.push_front(channel.front());
    channel[1].has_more = true;  // no further copy
  };
  EXPECT_NE(failure_with({.ranks = 2, .batches = {{3}}}, twice), "");
}

TEST(cluster_protocol, the_model_sees_that_a_message_is_dropped) {
  for (auto const what : {kind::give, kind::done, kind::finished, kind::end}) {
    auto const drop = [what](auto& channel) {
      if (channel.front().what == what) channel.pop_front();
    };
    EXPECT_NE(failure_with({.ranks = 2, .batches = {{3}}}, drop), "") << int(what);
  }
}

TEST(cluster_protocol, the_model_sees_news_of_a_loss_that_overtake_a_gift) {
  auto const overtake = [](auto& channel) {
    if (channel.size() > 1 && channel[0].what == kind::give && channel[1].what == kind::lost)
      std::swap(channel[0], channel[1]);
  };
  EXPECT_NE(failure_with({.ranks = 3, .asks = 1, .batches = {{2}}, .losses = 1}, overtake), "");
}

TEST(cluster_protocol, the_model_sees_a_census_that_overtakes_the_news_of_executed_tasks) {
  auto const overtake = [](auto& channel) {
    if (channel.size() > 1 && channel[0].what == kind::done && channel[1].what == kind::census)
      std::swap(channel[0], channel[1]);
  };
  EXPECT_NE(failure_with({.ranks = 3, .asks = 1, .batches = {{2}}, .losses = 1}, overtake), "");
}

}  // namespace

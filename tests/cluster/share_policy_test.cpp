// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/cluster/share_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/cluster_queue.hpp"
#include "ballast/error.hpp"
#include "invented_cluster.hpp"
#include "invented_tasks.hpp"
#include "lifelines.hpp"
#include "names_of.hpp"
#include "refused_argument.hpp"
#include "sanitized.hpp"

namespace ballast::test {
using namespace detail;
namespace {

double of_list_schedule(invented_cluster const& cluster) {
  auto const outcome = cluster_play(cluster).play();
  EXPECT_TRUE(outcome.is_each_once());
  return double(list_schedule_ns(cluster)) / double(outcome.end_ns);
}

/// What the policy gives, if it does nothing else.
share_action only_gift(share_policy& policy, share_view const& view) {
  auto const actions = policy.decide(view).actions;
  EXPECT_EQ(actions.size(), 1u);
  if (actions.empty()) return {};
  EXPECT_EQ(actions[0].what, share_action::kind::give);
  return actions[0];
}

/// Whom the policy asks, if it does nothing else.
std::uint32_t only_question(share_policy& policy, share_view const& view) {
  auto const actions = policy.decide(view).actions;
  EXPECT_EQ(actions.size(), 1u);
  if (actions.empty()) return std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(actions[0].what, share_action::kind::ask);
  return actions[0].rank;
}

/// After which a rank asks on, however often it was declined.
constexpr std::int64_t longest_pause_ns = 1'000'000;

class every_share_policy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(share_policies, every_share_policy, testing::ValuesIn(names_of(share_policies())));

TEST_P(every_share_policy, has_each_task_executed_exactly_once) {
  for (std::uint32_t const ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 64})
    for (std::uint64_t const tasks : {0, 1, 2, 7, 1000})
      EXPECT_TRUE(cluster_play(from_one_rank(GetParam(), ranks, tasks)).play().is_each_once())
          << tasks << " tasks on " << ranks << " ranks";
}

TEST_P(every_share_policy, has_each_task_executed_exactly_once_by_a_thousand_ranks) {
  auto cluster = from_one_rank(GetParam(), 1000, sanitized ? 20'000 : 200'000);
  EXPECT_TRUE(cluster_play(cluster).play().is_each_once());
}

TEST_P(every_share_policy, has_each_task_executed_exactly_once_that_any_of_unequal_ranks_submits) {
  auto cluster = from_one_rank(GetParam(), 13, 0);
  cluster.submitted = [](std::uint32_t rank) { return std::uint64_t(rank % 4) * 500; };
  cluster.devices = [](std::uint32_t rank) { return std::vector{invented_device{4, 1.0 / (1 + rank % 3)}}; };
  EXPECT_TRUE(cluster_play(cluster).play().is_each_once());
}

TEST_P(every_share_policy, has_one_giant_among_many_tiny_tasks_executed_exactly_once) {
  auto cluster = from_one_rank(GetParam(), 6, 3000);
  cluster.task_ns = [](std::uint64_t task) { return task == 1500 ? 50'000'000 : 10'000; };
  EXPECT_TRUE(cluster_play(cluster).play().is_each_once());
}

/// Rank 0 is lost with questions on their way there, others amid their work.
TEST_P(every_share_policy, has_all_that_live_execute_each_task_exactly_once_though_others_are_lost) {
  auto cluster = from_one_rank(GetParam(), 13, 0);
  cluster.submitted = [](std::uint32_t rank) { return rank == 1 ? 3000 : rank == 3 ? 200 : 0; };
  cluster.losses = {{0, 3'000}, {5, 200'000}, {3, 400'000}};
  auto const outcome = cluster_play(cluster).play();
  std::span const runs = outcome.runs;
  EXPECT_TRUE(std::ranges::all_of(runs.first(3000), [](auto times) { return times == 1; }));
  EXPECT_TRUE(std::ranges::all_of(runs.subspan(3000), [](auto times) { return times <= 1; }));
  if (GetParam() == "none") return;
  for (std::uint32_t const rank : {1, 2, 4, 6, 7, 8, 9, 10, 11, 12})
    EXPECT_GT(outcome.executed_by(rank), 0u) << "rank " << rank;
}

TEST_P(every_share_policy, decides_the_same_when_played_again) {
  auto const cluster = from_one_rank(GetParam(), 9, 2000);
  auto const once = cluster_play(cluster).play(), again = cluster_play(cluster).play();
  EXPECT_EQ(once.end_ns, again.end_ns);
  EXPECT_EQ(once.executed, again.executed);
  EXPECT_EQ(once.messages, again.messages);
}

/// A rank that was told by others what comes in any order keeps its promises to them and to itself.
TEST_P(every_share_policy, gives_no_more_than_there_is_in_messages_that_can_leave) {
  std::uint64_t random = 7;
  auto const next = [&random](std::uint64_t end) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % end;
  };
  auto const policy = make_share_policy(GetParam(), {2, 8, 2, 2, 1});
  std::set<std::uint32_t> lost;
  share_view view{.own = {.workers = 8}, .round_trip_ns = 10'000};
  for (int step = 0; step < 5000; ++step) {
    view.now_ns += std::int64_t(next(20'000));
    view.own.backlog += next(100);
    view.own.tasks_per_ns = double(next(3)) / 1000;
    view.messages = std::uint32_t(next(9));
    view.piece_tasks = std::uint32_t(1 + next(80));
    auto const other = std::uint32_t((3 + next(7)) % 8);
    if (step == 2000 || step == 3000) {
      policy->lost(other);
      lost.insert(other);
    } else if (lost.count(other) == 0) {
      if (next(2) == 0) policy->asked(other, {next(10), 0, 4, double(next(2)) / 1000});
      if (next(4) == 0) policy->declined(other);
      if (next(4) == 0) policy->received(other);
    }
    std::uint64_t given = 0;
    std::uint32_t messages = 0;
    for (auto const& action : policy->decide(view).actions) {
      EXPECT_NE(action.rank, 2u);
      EXPECT_LT(action.rank, 8u);
      EXPECT_EQ(lost.count(action.rank), 0u);
      if (action.what != share_action::kind::give) continue;
      EXPECT_GE(action.tasks, 1u);
      EXPECT_LE(action.tasks, view.piece_tasks);
      given += action.tasks;
      ++messages;
    }
    ASSERT_LE(given, view.own.backlog);
    EXPECT_LE(messages, view.messages);
    view.own.backlog -= given;
    view.own.backlog -= std::min<std::uint64_t>(view.own.backlog, next(150));
  }
}

/// Every question has an answer, tasks or not, and nobody asks twice before it.
TEST_P(every_share_policy, answers_who_asks_and_asks_one_at_a_time) {
  auto const policy = make_share_policy(GetParam(), {0, 4, 0, 1, 1});
  share_view const poor{.now_ns = 1, .own = {.workers = 8}, .round_trip_ns = 10'000};
  policy->asked(1, {.workers = 8});
  auto const first = policy->decide(poor).actions;
  EXPECT_EQ(std::ranges::count(first, share_action::kind::decline, &share_action::what), 1);
  EXPECT_LE(std::ranges::count(first, share_action::kind::ask, &share_action::what), 1);
  if (std::ranges::count(first, share_action::kind::ask, &share_action::what) == 0) return;
  EXPECT_TRUE(policy->decide(poor).actions.empty());
}

TEST_P(every_share_policy, answers_who_was_promised_tasks_that_are_gone_before_they_could_leave) {
  auto const policy = make_share_policy(GetParam(), {0, 4, 0, 1, 1});
  share_view view{
      .now_ns = 1, .own = {.backlog = 1000, .workers = 8}, .round_trip_ns = 10'000, .messages = 0};
  std::ptrdiff_t answers = 0;
  policy->asked(1, {.workers = 8});
  for (auto const backlog : {1000u, 0u}) {
    view.own.backlog = backlog;
    answers +=
        std::ranges::count(policy->decide(view).actions, share_action::kind::decline, &share_action::what);
  }
  EXPECT_EQ(answers, 1);
}

TEST(lifeline, is_within_two_percent_of_a_queue_that_all_ranks_share) {
  auto cluster = from_one_rank("lifeline", 64, 64 * 64 * 50);
  cluster.devices = each_rank_has({{64}});
  cluster.task_ns = uneven_tasks(1'000'000);
  EXPECT_GT(of_list_schedule(cluster), 0.98);
  cluster.devices = [](std::uint32_t rank) {
    return std::vector{invented_device{64, rank % 2 == 0 ? 1.0 : 0.5}};
  };
  EXPECT_GT(of_list_schedule(cluster), 0.98);
  cluster.submitted = [](std::uint32_t rank) { return rank % 8 == 0 ? 25'600 : 0; };
  EXPECT_GT(of_list_schedule(cluster), 0.98);
}

TEST(lifeline, moves_half_of_the_tasks_between_two_equal_ranks_and_hardly_more) {
  auto cluster = from_one_rank("lifeline", 2, 6400);
  auto const outcome = cluster_play(cluster).play();
  EXPECT_LT(outcome.moved_tasks, 6400 * 55 / 100);
}

/// A question may be older than the end of who asked.
TEST_P(every_share_policy, gives_nothing_to_a_rank_that_is_lost_though_its_question_comes_later) {
  auto const policy = make_share_policy(GetParam(), {0, 4, 0, 1, 1});
  policy->lost(1);
  policy->asked(1, {.workers = 8});
  share_view const view{.own = {.backlog = 1000, .workers = 8}, .round_trip_ns = 10'000, .messages = 8};
  for (auto const& action : policy->decide(view).actions) EXPECT_NE(action.rank, 1u);
}

TEST_P(every_share_policy, gives_nothing_more_to_a_rank_that_is_lost_while_pieces_leave) {
  auto const policy = make_share_policy(GetParam(), {0, 4, 0, 1, 1});
  share_view view{.own = {.backlog = 1000, .workers = 8}, .round_trip_ns = 10'000, .piece_tasks = 2};
  policy->asked(1, {.workers = 8});
  EXPECT_EQ(policy->decide(view).actions.size(), 1u);
  policy->lost(1);
  for (auto const& action : policy->decide(view).actions) EXPECT_NE(action.rank, 1u);
}

TEST_P(every_share_policy, asks_another_rank_when_the_one_that_it_asked_is_lost) {
  if (GetParam() == "none") return;  // asks nobody
  auto const policy = make_share_policy(GetParam(), {2, 4, 2, 1, 1});
  share_view const poor{.own = {.workers = 8}, .round_trip_ns = 10'000};
  auto const first = only_question(*policy, poor);
  policy->lost(first);
  EXPECT_NE(only_question(*policy, poor), first);
}

TEST(lifeline, promises_no_task_twice_to_a_rank_that_asks_again_while_pieces_come) {
  auto cluster = from_one_rank("lifeline", 2, 84'480);
  cluster.devices = each_rank_has({{4224}});  // more than the tasks of a piece
  cluster.task_ns = uneven_tasks(1'000'000);
  EXPECT_LT(cluster_play(cluster).play().moved_tasks, 84'480 * 55 / 100);
}

TEST(central, remembers_who_takes_a_rank_for_the_first_that_lives_before_it_does) {
  auto const policy = make_share_policy("central", {1, 3, 1, 1, 1});
  share_view view{.own = {.workers = 8}, .round_trip_ns = 10'000, .messages = 8};
  policy->asked(2, {.workers = 8});
  policy->decide(view);
  policy->lost(0);
  view.own.backlog = 1000;
  EXPECT_EQ(only_gift(*policy, view).rank, 2u);
}

TEST(central, gives_what_the_rank_that_asks_executes_in_two_round_trips) {
  auto const policy = make_share_policy("central", {0, 2, 0, 1, 1});
  share_view const view{
      .own = {.backlog = 1000, .workers = 8, .tasks_per_ns = 0.0001}, .round_trip_ns = 10'000, .messages = 8};
  policy->asked(1, {.workers = 8, .tasks_per_ns = 0.01});
  EXPECT_EQ(only_gift(*policy, view).tasks, 200u);
}

TEST(central, has_the_first_rank_sent_what_another_has_too_much_of) {
  share_view const view{.own = {.backlog = 1000, .workers = 8}, .round_trip_ns = 10'000, .messages = 8};
  EXPECT_TRUE(make_share_policy("central", {0, 2, 0, 1, 1})->decide(view).actions.empty());
  auto const gift = only_gift(*make_share_policy("central", {1, 2, 1, 1, 1}), view);
  EXPECT_EQ(gift.rank, 0u);
  EXPECT_EQ(gift.tasks, 1000u - 2 * 8);
}

TEST(central, asks_the_next_rank_once_the_first_that_declined_is_lost) {
  auto const policy = make_share_policy("central", {2, 3, 2, 1, 1});
  share_view const poor{.own = {.workers = 8}, .round_trip_ns = 10'000};
  EXPECT_EQ(only_question(*policy, poor), 0u);
  policy->declined(0);
  EXPECT_TRUE(policy->decide(poor).actions.empty());
  policy->lost(0);
  EXPECT_EQ(only_question(*policy, poor), 1u);
}

TEST(random_share, asks_the_other_of_two_ranks) {
  EXPECT_EQ(only_question(*make_share_policy("random", {1, 2, 1, 1, 1}), {.round_trip_ns = 10'000}), 0u);
}

TEST(random_share, waits_twice_as_long_after_each_decline_until_it_is_given_something) {
  auto const policy = make_share_policy("random", {0, 2, 0, 1, 1});
  share_view view{.own = {.workers = 8}, .round_trip_ns = 10'000};
  for (std::int64_t const pause_ns : {10'000, 20'000, 40'000}) {
    EXPECT_EQ(only_question(*policy, view), 1u);
    policy->declined(1);
    auto const decision = policy->decide(view);
    EXPECT_TRUE(decision.actions.empty());
    EXPECT_EQ(decision.look_again_ns, view.now_ns + pause_ns);
    view.now_ns += pause_ns;
  }
  policy->received(1);
  EXPECT_EQ(only_question(*policy, view), 1u);
}

TEST(lifeline, asks_the_ranks_of_its_host_first) {
  auto const policy = make_share_policy("lifeline", {5, 64, 4, 4, 1});
  share_view const poor{.own = {.workers = 8}, .round_trip_ns = 10'000};
  for (auto const rank : {6u, 7u, 4u}) {
    EXPECT_EQ(only_question(*policy, poor), rank);
    policy->declined(rank);
  }
}

TEST(lifeline, remembers_a_rank_once_that_asks_again) {
  auto const policy = make_share_policy("lifeline", {0, 2, 0, 1, 1});
  share_view view{.own = {.workers = 8}, .round_trip_ns = 10'000, .messages = 8};
  for (int question = 0; question < 2; ++question) {
    policy->asked(1, {.workers = 8});
    policy->decide(view);
  }
  view.own.backlog = 1000;
  EXPECT_EQ(only_gift(*policy, view).tasks, 500u);
}

TEST(random_share, gives_the_one_task_that_it_can_spare) {
  auto const policy = make_share_policy("random", {0, 2, 0, 1, 1});
  policy->asked(1, {});
  EXPECT_EQ(only_gift(*policy, {.own = {.backlog = 1}}).tasks, 1u);
}

TEST(lifeline, gives_by_workers_while_the_speed_of_one_rank_is_unknown) {
  for (auto const& [own, other] : {std::pair(0.0, 0.001), std::pair(0.001, 0.0)}) {
    auto const policy = make_share_policy("lifeline", {0, 2, 0, 1, 1});
    policy->asked(1, {.workers = 24, .tasks_per_ns = other});
    EXPECT_EQ(only_gift(*policy, {.own = {.backlog = 1000, .workers = 8, .tasks_per_ns = own}, .messages = 8})
                  .tasks,
              750u);
  }
}

/// Each gift makes a new plan, which replaces the last.
TEST(lifeline, asks_no_more_ranks_after_many_gifts_than_before) {
  auto const policy = make_share_policy("lifeline", {0, 1024, 0, 1, 1});
  share_view poor{.own = {.workers = 8}, .round_trip_ns = 10'000};
  share_view const rich{.own = {.backlog = 8, .workers = 8}, .round_trip_ns = 10'000};
  auto const later = [&]() -> share_view const& {
    poor.now_ns += longest_pause_ns;
    return poor;
  };
  for (int gift = 0; gift < 50; ++gift) {
    policy->received(only_question(*policy, later()));
    policy->decide(rich);
  }
  std::size_t questions = 0;
  for (auto actions = policy->decide(later()).actions; !actions.empty();
       actions = policy->decide(later()).actions) {
    policy->declined(actions[0].rank);
    policy->decide(poor);
    ++questions;
  }
  EXPECT_LE(questions, 1 + lifelines_of(0, std::vector<bool>(1024)).size());
}

TEST(lifeline, falls_silent_when_there_is_nothing_to_do) {
  auto const policy = make_share_policy("lifeline", {1, 4, 0, 1 + 1, 1});
  share_view view{.own = {.workers = 8}, .round_trip_ns = 10'000};
  std::set<std::uint32_t> asked;
  for (int step = 0; step < 20; ++step) {
    view.now_ns += longest_pause_ns;
    auto const decision = policy->decide(view);
    for (auto const& action : decision.actions) {
      EXPECT_TRUE(asked.insert(action.rank).second) << "asked again: " << action.rank;
      policy->declined(action.rank);
    }
  }
  EXPECT_EQ(asked.count(0), 1u) << "of the same host";
  EXPECT_EQ(asked.count(2), 1u) << "the next one";
  EXPECT_EQ(asked.count(3), 1u) << "of one other bit";
  EXPECT_TRUE(policy->decide(view).actions.empty());
  EXPECT_EQ(policy->decide(view).look_again_ns, share_decision{}.look_again_ns);
  policy->received(0);
  EXPECT_EQ(policy->decide(view).actions.size(), 1u);
}

TEST(lifeline, asks_ever_more_slowly_after_four_answers_until_it_has_enough) {
  auto const policy = make_share_policy("lifeline", {0, 65'536, 0, 1, 1});
  share_view view{.own = {.workers = 8}, .round_trip_ns = 10'000};
  for (int round = 0; round < 2; ++round) {
    for (int answer = 0; answer < 4; ++answer) policy->declined(only_question(*policy, view));
    for (std::int64_t const pause_ns : {10'000, 40'000, 160'000}) {
      policy->declined(only_question(*policy, view));
      auto const decision = policy->decide(view);
      EXPECT_TRUE(decision.actions.empty());
      EXPECT_EQ(decision.look_again_ns, view.now_ns + pause_ns);
      view.now_ns += pause_ns;
    }
    view.own.backlog = 8;
    EXPECT_TRUE(policy->decide(view).actions.empty());
    view.own.backlog = 0;
  }
}

TEST(lifeline, asks_on_without_a_pause_where_each_gift_occupies_its_workers) {
  auto const policy = make_share_policy("lifeline", {0, 2, 0, 1, 1});
  share_view const idle{.own = {.workers = 1}, .round_trip_ns = 10'000};
  share_view const busy{.own = {.running = 1, .workers = 1}, .round_trip_ns = 10'000};
  policy->received(only_question(*policy, idle));
  for (int gift = 0; gift < 20; ++gift) policy->received(only_question(*policy, busy));
}

TEST(lifeline, fills_the_workers_of_one_rank_rather_than_one_worker_of_each) {
  auto const policy = make_share_policy("lifeline", {0, 8, 0, 1, 1});
  for (auto const rank : {1u, 2u, 4u}) policy->asked(rank, {.workers = 8});
  share_view const view{.own = {.backlog = 12, .running = 8, .workers = 8}, .messages = 8};
  auto const actions = policy->decide(view).actions;
  ASSERT_EQ(std::ranges::count(actions, share_action::kind::give, &share_action::what), 1);
  EXPECT_EQ(actions[0].tasks, 10u);
}

TEST(lifeline, keeps_who_was_declined_and_still_has_tasks_waiting_for_a_gift_that_is_worth_a_message) {
  auto const policy = make_share_policy("lifeline", {0, 2, 0, 1, 1});
  share_state const busy{.running = 8, .workers = 8, .tasks_per_ns = 0.001};
  share_view view{.own = busy, .messages = 8};
  policy->asked(1, busy);
  policy->decide(view);
  view.own.backlog = 16;
  EXPECT_TRUE(policy->decide(view).actions.empty());
  view.now_ns += 1000;  // in which the other executes a task
  EXPECT_EQ(only_gift(*policy, view).tasks, 8u);
}

TEST(lifeline, deals_to_ranks_at_random_once_it_was_asked_until_one_says_that_it_has_plenty) {
  auto const policy = make_share_policy("lifeline", {0, 1024, 0, 1, 1});
  share_view const rich{.now_ns = 1, .own = {.backlog = 100'000, .workers = 8}, .piece_tasks = 1000};
  EXPECT_TRUE(policy->decide(rich).actions.empty()) << "nobody has asked";
  policy->asked(1, {.workers = 8});
  for (int piece = 0; piece < 2; ++piece) EXPECT_EQ(only_gift(*policy, rich).rank, 1u);
  std::set<std::uint32_t> ranks;
  for (int piece = 0; piece < 10; ++piece) {
    auto const gift = only_gift(*policy, rich);
    EXPECT_EQ(gift.tasks, 256u);
    ranks.insert(gift.rank);
  }
  EXPECT_GT(ranks.size(), 5u);
  policy->withdrawn(*ranks.begin());
  EXPECT_TRUE(policy->decide(rich).actions.empty());
}

TEST(lifeline, says_that_it_has_plenty_to_who_gives_it_more) {
  auto const policy = make_share_policy("lifeline", {0, 1024, 0, 1, 1});
  share_view view{.own = {.backlog = 5000, .workers = 8}, .piece_tasks = 1000};
  policy->received(9);
  auto const actions = policy->decide(view).actions;
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].what, share_action::kind::withdraw);
  EXPECT_EQ(actions[0].rank, 9u);
  EXPECT_TRUE(policy->decide(view).actions.empty());
  view.own.backlog = 3000;
  policy->received(9);
  EXPECT_TRUE(policy->decide(view).actions.empty());
}

TEST(lifeline, asks_again_whose_decline_is_older_than_the_word_that_it_has_plenty) {
  auto const policy = make_share_policy("lifeline", {0, 2, 0, 1, 1});
  share_view const poor{.own = {.workers = 8}, .piece_tasks = 1000};
  share_view const rich{.own = {.backlog = 5000, .workers = 8}, .piece_tasks = 1000};
  EXPECT_EQ(only_question(*policy, poor), 1u);
  policy->received(1);  // what it dealt before it saw the question
  ASSERT_EQ(policy->decide(rich).actions.size(), 1u) << "a withdrawal";
  policy->declined(1);  // and then it forgets who has withdrawn
  policy->declined(only_question(*policy, poor));
  EXPECT_TRUE(policy->decide(poor).actions.empty()) << "now it remembers";
}

TEST(lifeline, hardly_sends_a_message_for_four_tasks_on_a_thousand_small_ranks) {
  auto cluster = from_one_rank("lifeline", 1000, 1000 * 8 * 50);
  cluster.devices = each_rank_has({{8}});
  cluster.task_ns = uneven_tasks(1'000'000);
  auto const outcome = cluster_play(cluster).play();
  EXPECT_LT(outcome.messages, outcome.runs.size() * 26 / 100);
}

TEST(lifeline, remembers_who_asked_and_gives_when_it_has_tasks) {
  auto const policy = make_share_policy("lifeline", {0, 2, 0, 1, 1});
  share_view view{.own = {.workers = 8}, .round_trip_ns = 10'000, .messages = 8};
  policy->asked(1, {.workers = 8});
  policy->decide(view);
  view.own.backlog = 1000;
  EXPECT_EQ(only_gift(*policy, view).tasks, 500u);
}

TEST(lifeline, gives_its_last_task_to_who_had_as_many_when_it_asked_though_its_speed_is_unknown) {
  auto const policy = make_share_policy("lifeline", {0, 2, 0, 1, 1});
  share_view view{.own = {.running = 2}, .round_trip_ns = 10'000, .messages = 8};
  policy->asked(1, {.backlog = 1, .running = 2});
  policy->decide(view);
  view.own.backlog = 1;
  EXPECT_EQ(only_gift(*policy, view).tasks, 1u);
}

TEST(lifelines, lead_from_every_living_rank_to_every_other_whoever_is_lost) {
  for (std::uint32_t ranks = 1; ranks <= 10; ++ranks)
    for (std::uint32_t dead = 0; dead < 1u << ranks; ++dead) {
      std::vector<bool> is_lost(ranks);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) is_lost[rank] = (dead >> rank & 1) != 0;
      auto const start = std::uint32_t(std::ranges::find(is_lost, false) - is_lost.begin());
      if (start == ranks) continue;
      std::vector<std::uint32_t> reached{start};
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (auto const next : lifelines_of(reached[i], is_lost)) {
          ASSERT_FALSE(is_lost[next]);
          if (std::ranges::find(reached, next) == reached.end()) reached.push_back(next);
        }
      EXPECT_EQ(reached.size(), std::size_t(std::ranges::count(is_lost, false))) << ranks << " " << dead;
    }
}

/// Of rank 0 of three whose tasks have created many others, of which so many wait to leave.
share_view view_with_created(std::uint64_t backlog) {
  return {.own = {backlog, 16, 16, 0}, .messages = 4, .has_created = true};
}

TEST(created_tasks_that_wait, keep_a_rank_from_asking_whatever_the_policy) {
  for (auto const& [name, what] : share_policies()) {
    auto const policy = make_share_policy(name, {1, 3, 0, 3});
    EXPECT_TRUE(policy->decide(view_with_created(0)).actions.empty()) << name;
  }
}

TEST(created_tasks_that_wait, are_wanted_for_all_workers_of_who_asked_and_given_away_whole) {
  for (std::string const name : {"lifeline", "random", "central"}) {
    auto const policy = make_share_policy(name, {0, 3, 0, 3});
    EXPECT_EQ(policy->decide(view_with_created(0)).wanting, 0u) << name;
    policy->asked(1, {0, 0, 8, 0});
    EXPECT_EQ(policy->decide(view_with_created(0)).wanting, 8u) << name;
    if (name == "random") policy->asked(1, {0, 0, 8, 0});
    auto const gift = only_gift(*policy, view_with_created(1));
    EXPECT_EQ(gift.rank, 1u);
    EXPECT_EQ(gift.tasks, 1u);
    EXPECT_EQ(policy->decide(view_with_created(0)).wanting, 0u) << name;
  }
  auto const policy = make_share_policy("lifeline", {0, 3, 0, 3});
  policy->asked(1, {0, 0, 8, 0});
  policy->asked(2, {0, 0, 8, 0});
  auto const next = policy->decide(view_with_created(9));
  ASSERT_EQ(next.actions.size(), 2u);
  EXPECT_EQ(next.actions[0].tasks + next.actions[1].tasks, 9u);
}

TEST(created_tasks_that_wait, are_wanted_for_half_of_the_workers_of_a_rank_however_many_wait_for_it) {
  auto const policy = make_share_policy("lifeline", {0, 5, 0, 5});
  for (std::uint32_t rank = 1; rank < 5; ++rank) policy->asked(rank, {0, 0, 6, 0});
  EXPECT_EQ(policy->decide(view_with_created(0)).wanting, 8u);
  auto one_worker = view_with_created(0);
  one_worker.own.workers = 1;
  EXPECT_EQ(policy->decide(one_worker).wanting, 1u);
}

TEST(created_tasks_that_wait, let_a_rank_withdraw_where_it_was_declined_and_ask_there_again) {
  for (std::string const name : {"lifeline", "central"}) {
    auto const policy = make_share_policy(name, {1, 2, 0, 2});
    share_view const without{.own = {0, 1, 2, 0}};
    EXPECT_EQ(only_question(*policy, without), 0u);
    policy->declined(0);
    auto const withdrawn = policy->decide(view_with_created(0)).actions;
    ASSERT_EQ(withdrawn.size(), 1u) << name;
    EXPECT_EQ(withdrawn[0].what, share_action::kind::withdraw);
    EXPECT_EQ(withdrawn[0].rank, 0u);
    EXPECT_TRUE(policy->decide(view_with_created(0)).actions.empty());
    EXPECT_EQ(only_question(*policy, without), 0u);
  }
  auto const remembering = make_share_policy("lifeline", {0, 2, 0, 2});
  remembering->asked(1, {0, 0, 8, 0});
  EXPECT_EQ(remembering->decide(view_with_created(0)).wanting, 8u);
  remembering->withdrawn(1);
  EXPECT_EQ(remembering->decide(view_with_created(5)).actions.size(), 0u);
}

TEST(lifelines, are_as_many_as_a_number_of_ranks_has_bits) {
  EXPECT_EQ(lifelines_of(0, std::vector<bool>(1)).size(), 0u);
  EXPECT_EQ(lifelines_of(0, std::vector<bool>(2)).size(), 1u);
  EXPECT_LE(lifelines_of(5, std::vector<bool>(1024)).size(), 11u);
}

TEST(share_policies, refuse_an_unknown_name_and_places_that_do_not_exist) {
  EXPECT_EQ(refused_argument([] { make_share_policy("fastest", {}); }), "policy");
  EXPECT_EQ(refused_argument([] { make_share_policy("none", {0, 0, 0, 1}); }), "ranks");
  EXPECT_EQ(refused_argument([] { make_share_policy("none", {2, 2, 0, 2}); }), "rank");
  EXPECT_EQ(refused_argument([] { make_share_policy("none", {0, 2, 0, 3}); }), "host_ranks");
  EXPECT_EQ(refused_argument([] { make_share_policy("none", {0, 2, 1, 1}); }), "host_ranks");
  EXPECT_EQ(refused_argument([] { make_share_policy("none", {1, 2, 0, 1}); }), "host_ranks");
}

}  // namespace
}  // namespace ballast::test

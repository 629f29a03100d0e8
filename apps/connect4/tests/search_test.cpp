// SPDX-License-Identifier: Apache-2.0
#include "connect4/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "connect4/match.hpp"
#include "random_boards.hpp"
#include "references.hpp"
#include "sanitized.hpp"

namespace ballast::connect4 {
namespace {

using testing::StrEq;
using testing::ThrowsMessage;

search_answer found(std::string_view moves, int lookahead, heuristic rule = heuristic::h1) {
  return search(method_named("sequential"), {board_after(moves), lookahead, rule, {}, {}});
}

column_values all_of(std::vector<score> const& values) {
  column_values all;
  std::ranges::copy(values, all.begin());
  return all;
}

TEST(connect4_sequential, finds_the_reference_values_nodes_and_best_columns) {
  for (auto const& known : references) {
    SCOPED_TRACE(name_of(known));
    auto const answer = found(known.moves, known.lookahead, known.rule);
    EXPECT_EQ(answer.values, all_of(known.values));
    EXPECT_EQ(answer.nodes, known.nodes);
    auto const best = best_column(answer.values);
    EXPECT_EQ(best + 1, known.best_column);
    EXPECT_EQ(answer.values[std::size_t(best)], known.best_value);
  }
}

TEST(connect4_sequential, has_as_many_nodes_as_the_trees_of_the_empty_board) {
  std::vector<std::uint64_t> const known{8, 57, 400, 2801, 19608, 137257, 960793, 6634027, 46028599};
  for (int lookahead = 1; lookahead <= (test::sanitized ? 7 : 9); ++lookahead)
    EXPECT_EQ(found("", lookahead, heuristic::h2).nodes, known[std::size_t(lookahead - 1)]) << lookahead;
}

TEST(connect4_sequential, stores_at_most_six_tasks_a_level_and_one_more_while_columns_are_open) {
  for (int lookahead = 1; lookahead <= 6; ++lookahead)
    EXPECT_EQ(found("", lookahead).stored_tasks, std::uint64_t(6 * lookahead + 1));
  EXPECT_EQ(found("444444", 1).stored_tasks, 6u);
}

TEST(connect4_sequential, finds_values_of_the_empty_board_that_are_the_same_from_left_and_right) {
  for (auto const rule : {heuristic::h1, heuristic::h2, heuristic::h3}) {
    auto const values = found("", 5, rule).values;
    for (std::size_t column = 0; column < 3; ++column) EXPECT_EQ(values[column], values[6 - column]);
  }
}

TEST(connect4_sequential, values_a_win_and_a_loss_beyond_every_other_and_a_full_column_not_at_all) {
  auto const wins = found("445566", 1);  // the mover has 4, 5, 6 of the bottom row
  EXPECT_EQ(wins.values[2], win);
  EXPECT_EQ(wins.values[6], win);
  EXPECT_EQ(best_column(wins.values), 2);
  auto const loses = found("4455661", 2).values;  // now the other side must stop both
  for (auto const& value : loses) EXPECT_EQ(value, -win);
  auto const full = found("444444", 3).values;
  EXPECT_FALSE(full[3].has_value());
  EXPECT_EQ(std::count(full.begin(), full.end(), std::nullopt), 1);
}

TEST(connect4_sequential, takes_a_full_board_for_a_draw_whatever_the_look_ahead) {
  std::string const drawn_game = "547125662261271266215743771576315353334444";
  for (int const lookahead : {1, 2, 16}) {
    auto const last = found(drawn_game.substr(0, 41), lookahead);
    EXPECT_EQ(last.values[3], 0);
    EXPECT_EQ(last.nodes, 2u);
    EXPECT_EQ(best_column(last.values), 3);
  }
}

TEST(connect4_search, refuses_a_look_ahead_outside_1_to_16_and_a_game_that_is_over) {
  for (int const lookahead : {-1, 0, 17}) {
    EXPECT_THAT([&] { found("", lookahead); },
                ThrowsMessage<bad_argument>(StrEq("lookahead is " + std::to_string(lookahead) +
                                                  "; legal is a whole number from 1 to 16")));
  }
  for (auto const* over : {"1212121", "547125662261271266215743771576315353334444"})
    EXPECT_THROW(found(over, 1), bad_argument);
  search_request mover_has_won{seen_by_other(board_after("1212121")), 1, heuristic::h1, {}, {}};
  EXPECT_THROW(search(method_named("sequential"), mover_has_won), bad_argument);
}

TEST(connect4_search, ends_without_an_answer_when_a_stop_is_requested) {
  int asked = 0;
  search_request const request{{}, max_lookahead, heuristic::h1, {}, [&] { return ++asked == 3; }};
  EXPECT_THROW(search(method_named("sequential"), request), search_stopped);
  EXPECT_EQ(asked, 3);
}

TEST(connect4_search, chooses_the_lowest_of_the_best_columns_that_are_open) {
  EXPECT_EQ(best_column({3, 3, 3, 3, 3, 3, 3}), 0);
  EXPECT_EQ(best_column({std::nullopt, -win, -5, -5, -win, std::nullopt, -7}), 2);
  EXPECT_EQ(best_column({std::nullopt, std::nullopt, -win, {}, {}, {}, -win}), 2);
}

TEST(connect4_methods, are_found_by_their_names_and_told_when_one_is_unknown) {
  for (auto const& method : search_methods()) EXPECT_EQ(&method_named(method.name), &method);
  EXPECT_THAT([] { method_named("guessing"); },
              ThrowsMessage<bad_argument>(StrEq("method is guessing; legal is sequential, chunks, abp, "
                                                "chase-lev, ring, blocking, static or static-per-task")));
  EXPECT_THAT([] { heuristic_named("H4"); },
              ThrowsMessage<bad_argument>(StrEq("heuristic is H4; legal is H1, H2 or H3")));
}

outlook seen_after(std::string_view moves, int lookahead) {
  return search_ahead(method_named("sequential"), {board_after(moves), lookahead, heuristic::h1, {}, {}});
}

constexpr auto full = std::nullopt;
constexpr column_outlook won_in(int moves) { return {win, moves}; }
constexpr column_outlook lost_in(int moves) { return {-win, moves}; }
constexpr column_outlook worth(score value) { return {value, 0}; }

column_outlook const& column(outlook const& seen, int number) { return *seen.after[std::size_t(number - 1)]; }

TEST(connect4_outlook, has_the_values_of_the_search_at_its_look_ahead) {
  auto const seen = seen_after("", 5);
  auto const values = search(method_named("sequential"), {board{}, 5, heuristic::h1, {}, {}}).values;
  for (std::size_t i = 0; i < columns; ++i) EXPECT_EQ(seen.after[i]->value, values[i]);
  EXPECT_EQ(chosen_column(seen), best_column(values));
  EXPECT_FALSE(seen.to_the_end);
}

TEST(connect4_outlook, tells_after_how_many_moves_a_game_is_won_or_lost) {
  auto const at_once = seen_after("445566", 5);
  EXPECT_EQ(column(at_once, 3).decided_in, 1);
  EXPECT_EQ(column(at_once, 7).decided_in, 1);
  auto const two_open_ends = seen_after("4151", 5);  // 4 and 5 in the bottom row, free on both sides
  EXPECT_EQ(column(two_open_ends, 3).value, win);
  EXPECT_EQ(column(two_open_ends, 3).decided_in, 3);
  auto const lost = seen_after("4455661", 6);
  for (auto const& after : lost.after) EXPECT_EQ(after->decided_in, 2);
}

TEST(connect4_outlook, chooses_the_quickest_win) {
  EXPECT_EQ(chosen_column({{won_in(5), worth(3), won_in(3), won_in(3), lost_in(2), worth(0), worth(1)}}), 2);
}

TEST(connect4_outlook, chooses_the_latest_loss_when_all_is_lost) {
  EXPECT_EQ(chosen_column({{full, lost_in(2), lost_in(6), lost_in(4), lost_in(6), full, full}}), 2);
}

TEST(connect4_outlook, chooses_the_lowest_of_equal_columns_that_are_open) {
  EXPECT_EQ(chosen_column({{full, worth(2), worth(3), worth(3), full, full, full}}), 2);
}

TEST(connect4_outlook, says_when_it_reached_the_end_of_the_game) {
  std::string const drawn_game = "547125662261271266215743771576315353334444";
  EXPECT_TRUE(seen_after(drawn_game.substr(0, 40), 2).to_the_end);
  EXPECT_TRUE(seen_after(drawn_game.substr(0, 40), 16).to_the_end);
  EXPECT_FALSE(seen_after(drawn_game.substr(0, 40), 1).to_the_end);
}

}  // namespace
}  // namespace ballast::connect4

// SPDX-License-Identifier: Apache-2.0
#include "connect4/outlook.hpp"

#include <gtest/gtest.h>

#include "connect4/methods.hpp"
#include "connect4/moves.hpp"

namespace ballast::connect4 {
namespace {

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
  auto const two_open_ends = seen_after("4151", 5);  // 4 and 5 below, free on both sides
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

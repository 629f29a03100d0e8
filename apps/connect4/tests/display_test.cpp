// SPDX-License-Identifier: Apache-2.0
#include "connect4/display.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "connect4/match.hpp"

namespace ballast::connect4 {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(connect4_drawing, shows_both_sides_and_marks_the_last_move) {
  EXPECT_EQ(drawing_of(board_after("4453"), 2, false),
            "  |   |   |   |   |   |   |   |\n"
            "  |   |   |   |   |   |   |   |\n"
            "  |   |   |   |   |   |   |   |\n"
            "  |   |   |   |   |   |   |   |\n"
            "  |   |   |   | O |   |   |   |\n"
            "  |   |   |(O)| X | X |   |   |\n"
            "  +---+---+---+---+---+---+---+\n"
            "    1   2   3   4   5   6   7\n");
}

TEST(connect4_drawing, marks_no_last_move_before_the_first) {
  auto const empty = drawing_of({}, std::nullopt, false);
  EXPECT_THAT(empty, Not(HasSubstr("(")));
  EXPECT_THAT(empty, Not(HasSubstr("X")));
}

TEST(connect4_drawing, marks_the_four_that_win_and_the_move_that_made_them) {
  auto const won = drawing_of(seen_by_other(board_after("4455667")), 6, false);
  EXPECT_THAT(won, HasSubstr("|   |   |   | O | O | O |   |\n"));
  EXPECT_THAT(won, HasSubstr("|   |   |   |[X]|[X]|[X]|<X>|\n"));
}

TEST(connect4_drawing, marks_every_disc_of_two_fours_that_share_one) {
  // A row and a column of MIN that meet in the corner.
  cells const row = 0b1 | 0b1 << 7 | 0b1 << 14 | 0b1 << 21, column = 0b1111;
  auto const won = drawing_of({0, row | column}, 3, false);
  EXPECT_THAT(won, HasSubstr("|[O]|[O]|[O]|<O>|   |   |   |\n"));
  EXPECT_EQ(std::ranges::count(won, 'O'), 7);
  EXPECT_THAT(won, Not(HasSubstr(" O ")));
}

TEST(connect4_drawing, marks_the_last_move_on_top_of_a_full_column) {
  EXPECT_THAT(drawing_of(board_after("444444"), 3, false),
              testing::StartsWith("  |   |   |   |(O)|   |   |   |\n"));
}

TEST(connect4_drawing, differs_with_colours_by_escape_sequences_alone) {
  auto const discs = seen_by_other(board_after("4455667"));
  auto const coloured = drawing_of(discs, 6, true);
  EXPECT_THAT(coloured, HasSubstr("\x1b[7;33m[X]\x1b[0m"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[31m O \x1b[0m"));
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), drawing_of(discs, 6, false));
}

TEST(connect4_wording, counts_moves_of_whoever_wins) {
  EXPECT_EQ(describe({win, 1}, false), "you win with this move");
  EXPECT_EQ(describe({win, 3}, false), "you win in 2 moves");
  EXPECT_EQ(describe({win, 7}, false), "you win in 4 moves");
  EXPECT_EQ(describe({-win, 2}, false), "the computer wins with its next move");
  EXPECT_EQ(describe({-win, 6}, false), "the computer wins in 3 moves");
}

TEST(connect4_wording, says_who_is_better_and_by_how_much) {
  EXPECT_EQ(describe({3, 0}, false), "you are better (+3)");
  EXPECT_EQ(describe({-2, 0}, false), "the computer is better (-2)");
}

TEST(connect4_wording, tells_a_draw_from_what_is_even_so_far) {
  EXPECT_EQ(describe({0, 0}, false), "even");
  EXPECT_EQ(describe({0, 0}, true), "a draw");
}

TEST(connect4_wording, tells_every_column_and_which_is_best) {
  outlook const seen{
      {column_outlook{-1, 0}, {{0, 0}}, std::nullopt, {{2, 0}}, {{2, 0}}, {{-win, 4}}, {{1, 0}}}, false};
  EXPECT_EQ(describe(seen, 7),
            "Seen 7 moves ahead, you are better (+2).\n"
            "  1  the computer is better (-1)\n"
            "  2  even\n"
            "  3  full\n"
            "  4  you are better (+2)  <- best\n"
            "  5  you are better (+2)\n"
            "  6  the computer wins in 2 moves\n"
            "  7  you are better (+1)\n");
}

TEST(connect4_wording, lists_columns_as_people_do) {
  EXPECT_EQ(describe_columns(cells_of_column(2) & bottom_row), "3");
  EXPECT_EQ(describe_columns(bottom_row), "1, 2, 3, 4, 5, 6 and 7");
  EXPECT_EQ(describe_columns(bottom_row & (cells_of_column(0) | cells_of_column(6))), "1 and 7");
}

TEST(connect4_wording, shows_nothing_typed_that_a_terminal_would_obey) {
  EXPECT_EQ(shown("\x1b[2Jhello\t\x7f\xc3\xa9"), "?[2Jhello????");
  EXPECT_EQ(shown(std::string(41, 'a')), std::string(40, 'a') + "...");
}

}  // namespace
}  // namespace ballast::connect4

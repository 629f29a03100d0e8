// SPDX-License-Identifier: Apache-2.0
#include "connect4/drawing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "connect4/moves.hpp"

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
  EXPECT_EQ(std::count(won.begin(), won.end(), 'O'), 7);
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

}  // namespace
}  // namespace ballast::connect4

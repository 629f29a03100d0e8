// SPDX-License-Identifier: Apache-2.0
#include "connect4/wording.hpp"

#include <gtest/gtest.h>

namespace ballast::connect4 {
namespace {

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

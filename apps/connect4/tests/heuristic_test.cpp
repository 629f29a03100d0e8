// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "connect4/heuristic.cuh"
#include "random_boards.hpp"
#include "sanitized.hpp"
#include "slow_board.hpp"

namespace ballast::connect4 {
namespace {

score e(std::string_view moves, heuristic rule) { return evaluate(board_after(moves), rule); }

TEST(connect4_heuristic, agrees_with_a_slow_and_plain_count_on_many_random_boards) {
  for (auto const& at : random_boards(test::sanitized ? 1000 : 20'000)) {
    for (auto const rule : {heuristic::h1, heuristic::h2, heuristic::h3})
      ASSERT_EQ(evaluate(at, rule), slow_evaluation(at, rule)) << at.max << ' ' << at.min;
  }
}

TEST(connect4_heuristic, finds_the_same_for_both_sides_with_the_other_sign_except_h3) {
  for (auto const& at : random_boards(1000)) {
    for (auto const rule : {heuristic::h1, heuristic::h2})
      ASSERT_EQ(evaluate(at, rule), -evaluate(seen_by_other(at), rule));
  }
}

TEST(connect4_heuristic, looks_at_69_lines) {
  EXPECT_EQ(slow_board({}).lines(), 69);
  int const lines = count(first_of_fours<up>(all_cells)) + count(first_of_fours<right>(all_cells)) +
                    count(first_of_fours<right_and_up>(all_cells)) +
                    count(first_of_fours<right_and_down>(all_cells));
  EXPECT_EQ(lines, 69);
}

TEST(connect4_heuristic, is_zero_while_nobody_has_two_discs) {
  for (auto const rule : {heuristic::h1, heuristic::h2, heuristic::h3}) {
    EXPECT_EQ(e("", rule), 0);
    EXPECT_EQ(e("4", rule), 0);
    EXPECT_EQ(e("47", rule), 0);
  }
}

TEST(connect4_heuristic, counts_what_lies_with_a_gap_as_an_open_line_and_not_as_a_sequence) {
  // MAX: columns 1 and 3 of the bottom row, both on the line 1-4. MIN: two discs in column 7.
  EXPECT_EQ(e("1737", heuristic::h1), 1 - 1);
  EXPECT_EQ(e("1737", heuristic::h2), 0 - 1);
  EXPECT_EQ(e("1737", heuristic::h3), 0 - 1);
}

TEST(connect4_heuristic, counts_a_closed_pair_as_a_sequence_for_max_in_h2_and_h3_and_for_min_in_h2_alone) {
  auto const closed_pair = board_after("1327");  // columns 1 and 2 of the bottom row, 3 is the other side's
  EXPECT_EQ(evaluate(closed_pair, heuristic::h1), 0);
  EXPECT_EQ(evaluate(closed_pair, heuristic::h2), 1);
  EXPECT_EQ(evaluate(closed_pair, heuristic::h3), 1);
  EXPECT_EQ(evaluate(seen_by_other(closed_pair), heuristic::h1), 0);
  EXPECT_EQ(evaluate(seen_by_other(closed_pair), heuristic::h2), -1);
  EXPECT_EQ(evaluate(seen_by_other(closed_pair), heuristic::h3), 0);
}

}  // namespace
}  // namespace ballast::connect4

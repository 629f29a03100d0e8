// SPDX-License-Identifier: Apache-2.0
#include "connect4/board.cuh"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "connect4/moves.hpp"
#include "random_boards.hpp"
#include "sanitized.hpp"
#include "slow_board.hpp"

namespace ballast::connect4 {
namespace {

/// Boards that can be on the table after one more move, each once.
std::set<std::pair<cells, cells>> one_move_on(std::set<std::pair<cells, cells>> const& boards) {
  std::set<std::pair<cells, cells>> next;
  for (auto const& [mover, other] : boards) {
    if (has_four(other)) continue;
    for (cells landing = landing_cells({mover, other}); landing != 0; landing &= landing - 1)
      next.insert({other, mover | lowest(landing)});
  }
  return next;
}

TEST(connect4_board, reaches_as_many_different_positions_in_each_ply_as_others_have_counted) {
  std::vector<std::size_t> counts;
  std::set<std::pair<cells, cells>> boards{{0, 0}};
  for (int ply = 0; ply <= (test::sanitized ? 6 : 8); ++ply) {
    counts.push_back(boards.size());
    boards = one_move_on(boards);
  }
  std::vector<std::size_t> known{1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275};  // OEIS A212693
  known.resize(counts.size());
  EXPECT_EQ(counts, known);
}

TEST(connect4_board, sees_four_in_a_row_exactly_where_a_plain_search_sees_it) {
  for (auto const& at : random_boards(test::sanitized ? 1000 : 20'000)) {
    slow_board const slow(at);
    ASSERT_EQ(has_four(at.max), slow.has_four('X')) << at.max;
    ASSERT_EQ(has_four(at.min), slow.has_four('O')) << at.min;
  }
}

TEST(connect4_board, sees_each_of_the_69_lines_and_no_line_with_a_hole) {
  int lines = 0;
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) {
      for (int const step : {up, right, right_and_up, right_and_down}) {
        constexpr int highest_bit = 7 * columns - 1;
        if (7 * column + row + 3 * step > highest_bit) continue;
        cells line = 0;
        for (int i = 0; i < 4; ++i) line |= cells{1} << (7 * column + row + i * step);
        if ((line & ~all_cells) != 0) continue;
        ++lines;
        EXPECT_TRUE(has_four(line));
        EXPECT_EQ(count(line), 4);
        for (cells rest = line; rest != 0; rest &= rest - 1) EXPECT_FALSE(has_four(line & ~lowest(rest)));
      }
    }
  }
  EXPECT_EQ(lines, 69);
}

TEST(connect4_board, lets_discs_fall_to_the_lowest_free_cell_until_a_column_is_full) {
  board at;
  for (int row = 0; row < rows; ++row) {
    EXPECT_EQ(landing_cells(at) & cells_of_column(3), cells{1} << (7 * 3 + row));
    at = dropped(at, 3, row % 2 == 0);
  }
  EXPECT_EQ(landing_cells(at) & cells_of_column(3), 0u);
  EXPECT_EQ(count(landing_cells(at)), 6);
  EXPECT_EQ(at.max | at.min, cells_of_column(3));
}

TEST(connect4_board, lists_landing_cells_from_left_to_right) {
  auto const at = board_after("444444");
  std::vector<int> listed;
  for (cells landing = landing_cells(at); landing != 0; landing &= landing - 1)
    listed.push_back(column_of(landing));
  EXPECT_EQ(listed, (std::vector<int>{0, 1, 2, 4, 5, 6}));
}

}  // namespace
}  // namespace ballast::connect4

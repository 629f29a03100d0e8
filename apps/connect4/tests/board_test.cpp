// SPDX-License-Identifier: Apache-2.0
#include "connect4/board.cuh"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "connect4/match.hpp"
#include "connect4/node.cuh"
#include "random_boards.hpp"
#include "sanitized.hpp"

namespace ballast::connect4 {
namespace {

/// A board as a table of characters, 'X' for MAX, 'O' for MIN, '.' for neither: slow, and a direct copy of
/// the definitions.
class slow_board {
 public:
  explicit slow_board(board const& at) {
    for (int column = 0; column < columns; ++column) {
      for (int row = 0; row < rows; ++row) {
        cells const here = cells{1} << (7 * column + row);
        of(column, row) = (at.max & here) != 0 ? 'X' : (at.min & here) != 0 ? 'O' : '.';
      }
    }
  }

  bool has_four(char disc) const {
    return lines_where([&](int own, int) { return own == 4; }, disc) > 0;
  }
  /// Lines of four cells with exactly 2 or 3 such discs and none of the other kind.
  int open_lines(char disc) const {
    return lines_where([](int own, int others) { return (own == 2 || own == 3) && others == 0; }, disc);
  }
  /// Unbroken runs of exactly 2 or 3 such discs in the four directions.
  int sequences(char disc) const {
    int found = 0;
    for_each_cell_and_direction([&](int column, int row, int dx, int dy) {
      if (at(column - dx, row - dy) == disc) return;
      int length = 0;
      while (at(column + length * dx, row + length * dy) == disc) ++length;
      if (length == 2 || length == 3) ++found;
    });
    return found;
  }
  int lines() const {
    return lines_where([](int, int) { return true; }, 'X');
  }

 private:
  template <class F>
  static void for_each_cell_and_direction(F&& visit) {
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < rows; ++row)
        for (auto const [dx, dy] : {std::array{1, 0}, {0, 1}, {1, 1}, {1, -1}}) visit(column, row, dx, dy);
  }
  template <class Counts>
  int lines_where(Counts&& counts, char disc) const {
    int found = 0;
    for_each_cell_and_direction([&](int column, int row, int dx, int dy) {
      int own = 0, empty = 0, outside = 0;
      for (int i = 0; i < 4; ++i) {
        char const here = at(column + i * dx, row + i * dy);
        own += here == disc;
        empty += here == '.';
        outside += here == ' ';
      }
      if (outside == 0 && counts(own, 4 - own - empty)) ++found;
    });
    return found;
  }
  char at(int column, int row) const {
    bool const inside = column >= 0 && column < columns && row >= 0 && row < rows;
    return inside ? table_[std::size_t(column)][std::size_t(row)] : ' ';
  }
  char& of(int column, int row) { return table_[std::size_t(column)][std::size_t(row)]; }

  std::array<std::array<char, rows>, columns> table_{};
};

score slow_evaluation(board const& at, heuristic rule) {
  slow_board const slow(at);
  if (rule == heuristic::h1) return slow.open_lines('X') - slow.open_lines('O');
  if (rule == heuristic::h2) return slow.sequences('X') - slow.sequences('O');
  return slow.sequences('X') - slow.open_lines('O');
}

/// The distinct boards that one more move can produce.
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

score e(std::string_view moves, heuristic rule) { return evaluate(board_after(moves), rule); }

TEST(connect4_heuristic, agrees_with_a_slow_and_plain_count_on_many_random_boards) {
  for (auto const& at : random_boards(test::sanitized ? 1000 : 20'000))
    for (auto const rule : {heuristic::h1, heuristic::h2, heuristic::h3})
      ASSERT_EQ(evaluate(at, rule), slow_evaluation(at, rule)) << at.max << ' ' << at.min;
}

TEST(connect4_heuristic, finds_the_same_for_both_sides_with_the_other_sign_except_h3) {
  for (auto const& at : random_boards(1000))
    for (auto const rule : {heuristic::h1, heuristic::h2})
      ASSERT_EQ(evaluate(at, rule), -evaluate(seen_by_other(at), rule));
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
  auto const closed_pair = board_after("1327");  // columns 1 and 2 of the bottom row; the other side has 3
  EXPECT_EQ(evaluate(closed_pair, heuristic::h1), 0);
  EXPECT_EQ(evaluate(closed_pair, heuristic::h2), 1);
  EXPECT_EQ(evaluate(closed_pair, heuristic::h3), 1);
  EXPECT_EQ(evaluate(seen_by_other(closed_pair), heuristic::h1), 0);
  EXPECT_EQ(evaluate(seen_by_other(closed_pair), heuristic::h2), -1);
  EXPECT_EQ(evaluate(seen_by_other(closed_pair), heuristic::h3), 0);
}

}  // namespace
}  // namespace ballast::connect4

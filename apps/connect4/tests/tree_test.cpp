// SPDX-License-Identifier: Apache-2.0
// The tree itself, level by level, apart from its values.

#include <gtest/gtest.h>

#include <vector>

#include "connect4/moves.hpp"
#include "connect4/node.cuh"
#include "sanitized.hpp"

namespace ballast::connect4 {
namespace {

struct level_count {
  std::uint64_t nodes = 0, won = 0;
  bool operator==(level_count const&) const = default;
};

/// Adds a node and its descendants.
void count_below(board const& at, int level, std::vector<level_count>& levels) {
  auto& here = levels[std::size_t(level)];
  ++here.nodes;
  auto const node = kind_of(at, level, int(levels.size()) - 1, heuristic::h2);
  if (node.is_leaf && (node.value == win || node.value == -win)) ++here.won;
  if (node.is_leaf) return;
  for (cells landing = landing_cells(at); landing != 0; landing &= landing - 1)
    count_below(with_disc(at, lowest(landing), max_moves_at(level)), level + 1, levels);
}

std::vector<level_count> levels_of(std::string_view moves, int lookahead) {
  std::vector<level_count> levels(std::size_t(lookahead) + 1);
  count_below(board_after(moves), 0, levels);
  return levels;
}

TEST(connect4_tree, has_the_known_number_of_nodes_and_of_won_ones_at_each_level) {
  std::vector<level_count> const known{
      {1, 0},     {7, 0},      {49, 0},         {343, 0},         {2401, 0},
      {16807, 0}, {117649, 0}, {823536, 13032}, {5673234, 44430}, {39394572, 1086882}};
  int const deepest = test::sanitized ? 7 : 9;
  auto const levels = levels_of("", deepest);
  for (std::size_t level = 0; level < levels.size(); ++level) EXPECT_EQ(levels[level], known[level]) << level;
}

TEST(connect4_tree, is_widest_where_the_paper_says_that_its_static_list_needs_800_000_tasks) {
  EXPECT_EQ(levels_of("", 7).back().nodes, 823536u);
  EXPECT_EQ(levels_of("44", 7).back().nodes, 786114u);
  EXPECT_EQ(levels_of("4453", 7).back().nodes, 749587u);
}

}  // namespace
}  // namespace ballast::connect4

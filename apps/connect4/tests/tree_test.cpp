// SPDX-License-Identifier: Apache-2.0
// The tree itself, level by level, apart from its values; and the rules of the game as kernels use them.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "ballast/task.hpp"
#include "connect4/match.hpp"
#include "connect4/node.cuh"
#include "node_kernels.cuh"
#include "sanitized.hpp"

namespace ballast::connect4 {
namespace {

struct level_count {
  std::uint64_t nodes = 0, won = 0;
  bool operator==(level_count const&) const = default;
};

/// Adds a node and its descendants to the counts of their levels.
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

/// All nodes of a tree in the order of their levels.
std::vector<move_path> nodes_of(board const& root, int lookahead) {
  std::vector<move_path> paths(1);
  for (std::size_t next = 0; next < paths.size(); ++next) {
    auto const at = board_at(root, paths[next]);
    if (kind_of(at, paths[next].level(), lookahead, heuristic::h1).is_leaf) continue;
    for (cells landing = landing_cells(at); landing != 0; landing &= landing - 1)
      paths.push_back(paths[next].then(column_of(landing)));
  }
  return paths;
}

std::vector<node_facts> facts_by(std::shared_ptr<compute_device> const& device, board const& root,
                                 std::vector<move_path> const& nodes, std::uint8_t lookahead,
                                 heuristic rule) {
  pinned_buffer<move_path> paths(device, nodes.size());
  pinned_buffer<node_facts> facts(device, nodes.size());
  std::ranges::copy(nodes, paths.data());
  auto const count = static_cast<std::uint32_t>(nodes.size());
  examine_nodes const kernel{
      root, array_ref<move_path const>(paths.data()), array_ref(facts.data()), count, lookahead, rule};
  auto const work = device->make_stream();
  launch(node_kernels(), *work, task(kernel, block_range{0, (count + 127) / 128}));
  work->synchronize();
  return {facts.data(), facts.data() + nodes.size()};
}

TEST(connect4_node_kernels, find_on_every_device_what_the_calling_thread_finds) {
  int const lookahead = 5;
  auto const root = board_after("4453");
  auto const nodes = nodes_of(root, lookahead);
  for (auto const& device : open_devices(environment("BALLAST_TEST_DEVICES").value_or("host:1"))) {
    for (auto const rule : {heuristic::h1, heuristic::h2, heuristic::h3}) {
      auto const found = facts_by(device, root, nodes, static_cast<std::uint8_t>(lookahead), rule);
      for (std::size_t i = 0; i < nodes.size(); ++i)
        ASSERT_EQ(found[i], facts_of(root, nodes[i], lookahead, rule)) << device->name() << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace ballast::connect4

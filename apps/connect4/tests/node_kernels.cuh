// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "ballast/task.hpp"
#include "connect4/node.cuh"

namespace ballast::connect4 {

/// The facts about a node that a task of the tree computes.
struct node_facts {
  node_kind kind;
  std::uint32_t children = 0;
  bool operator==(node_facts const&) const = default;
};

BALLAST_HD inline node_facts facts_of(board const& root, move_path const& path, int lookahead,
                                      heuristic rule) {
  auto const at = board_at(root, path);
  auto const kind = kind_of(at, path.level(), lookahead, rule);
  return {kind, kind.is_leaf ? 0u : static_cast<std::uint32_t>(count(landing_cells(at)))};
}

/// Block b looks at the nodes 128 b to 128 b + 127.
struct examine_nodes {
  static constexpr int threads = 128;

  board root;
  array_ref<move_path const> paths;
  array_ref<node_facts> facts;
  std::uint32_t nodes;
  std::uint8_t lookahead;
  heuristic rule;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(threads, [&](std::uint32_t i) {
      auto const node = block.index() * threads + i;
      if (node < nodes) facts[node] = facts_of(root, paths[node], lookahead, rule);
    });
  }
};

kernel_set const& node_kernels();

}  // namespace ballast::connect4

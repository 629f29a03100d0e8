// SPDX-License-Identifier: Apache-2.0
// The rules of the game as kernels see them.

#include "node_kernels.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "ballast/task.hpp"
#include "connect4/moves.hpp"

namespace ballast::connect4 {
namespace {

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
  std::copy(nodes.begin(), nodes.end(), paths.data());
  auto const count = static_cast<std::uint32_t>(nodes.size());
  examine_nodes const kernel{
      root, array_ref<move_path const>(paths.data()), array_ref(facts.data()), count, lookahead, rule};
  auto const work = device->make_stream();
  node_kernels().launch(*work, task(kernel, block_range{0, (count + 127) / 128}));
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

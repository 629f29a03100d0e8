// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "fixture.hpp"

namespace ballast::test::graph_shapes {

/// The predecessors of each task, which have lower numbers.
using shape = std::vector<std::vector<std::uint32_t>>;

/// Each task has one to three predecessors in the layer before.
inline shape layers(std::uint32_t count, std::uint32_t width) {
  std::mt19937 random(count);
  shape made(count * width);
  for (auto task = width; task < count * width; ++task)
    for (auto edges = 1 + random() % 3; edges > 0; --edges)
      made[task].push_back((task / width - 1) * width + std::uint32_t(random() % width));
  return made;
}

inline shape any(std::uint32_t seed) {
  std::mt19937 random(seed);
  shape made(1 + random() % 60);
  for (std::uint32_t task = 1; task < made.size(); ++task)
    for (auto edges = random() % 4; edges > 0; --edges) made[task].push_back(std::uint32_t(random() % task));
  return made;
}

/// Of a queue that is not started, so that a graph's memory can be allocated before; 0: with all workers.
inline queue_options before_start(int workers = 0) {
  auto options = test_options();
  options.start_at_once = false;
  if (workers != 0) options.resident.blocks = workers + (first_device()->is_cuda() ? 1 : 0);
  return options;
}

}  // namespace ballast::test::graph_shapes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "pool/peer_work.cuh"

namespace ballast::bench {

inline std::uint64_t fibonacci_number(std::uint32_t n) {
  std::uint64_t number = 0, next = 1;
  for (; n > 0; --n) number = std::exchange(next, number + next);
  return number;
}

/// The number of solutions for n queens, n up to 16: OEIS A000170.
inline std::uint64_t queens_solutions(std::uint32_t n) {
  constexpr std::array<std::uint64_t, 17> known{1,   1,   0,    0,     2,     10,     4,       40,      92,
                                                352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  return known.at(n);
}

/// Results of the unbalanced tree: of the nodes that are counted in shared words, and of all nodes.
struct tree_sums {
  std::uint64_t counted = 0, all = 0;
};

inline tree_sums sum_over_tree(std::uint32_t bushy) {
  tree_sums sums;
  for (std::vector<formula_node> waiting{{}}; !waiting.empty();) {
    auto const node = waiting.back();
    waiting.pop_back();
    auto const result = node.work();
    if (formula_node::counts(result)) sums.counted += result;
    sums.all += result;
    for (std::uint32_t i = 0; i < formula_node::children && node.has_children(bushy); ++i)
      waiting.push_back(node.child(i));
  }
  return sums;
}

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/task.hpp"
#include "pool/peer_work.cuh"
#include "pool/pool_kernels.cuh"

namespace ballast::bench {

/// Fibonacci's number n: a task for each call whose n is at least `cut_off` (2 or more), and one task for
/// everything below.
struct fibonacci_above {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = 2, joins = 1;
  number_reader reader;
  std::uint32_t n, cut_off;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (n < cut_off) return reader.deliver(block, fibonacci_by_calls(n));
    auto const join = block.fork(fibonacci_sum{reader, {}}, 2);
    block.spawn(fibonacci_above{{{}, join}, n - 1, cut_off});
    block.spawn(fibonacci_above{{{}, join}, n - 2, cut_off});
  }
};

/// n queens: a task for each way to fill up to `cut_off` rows (less than n); a task with `cut_off` rows
/// counts the ways to fill the rest.
struct queens_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = max_queens;
  spread_sum solutions;
  queens_place at;
  std::uint8_t n, rows, cut_off;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (rows == cut_off) return solutions.add(at.key(), solutions_below(at, n));
    for (std::uint32_t left = at.free(n); left != 0; left &= left - 1)
      block.spawn(
          queens_task{solutions, at.with(lowest_bit(left)), n, static_cast<std::uint8_t>(rows + 1), cut_off});
  }
};

/// A node of the unbalanced tree as a task.
struct formula_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = formula_node::children;
  spread_sum sum;
  formula_node node;
  std::uint32_t bushy;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    node.work_for(sum);
    if (!node.has_children(bushy)) return;
    for (std::uint32_t i = 0; i < formula_node::children; ++i)
      block.spawn(formula_task{sum, node.child(i), bushy});
  }
};

/// A node of the tree like formula_task, but the pool sums all results, which is cheap because each worker
/// keeps its own partial sum.
struct summing_formula_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = formula_node::children;
  static constexpr bool reduces = true;
  formula_node node;
  std::uint32_t bushy;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.add_to_sum(node.work());
    if (!node.has_children(bushy)) return;
    for (std::uint32_t i = 0; i < formula_node::children; ++i)
      block.spawn(summing_formula_task{node.child(i), bushy});
  }
};

/// n queens as queens_task, with the solutions summed by the pool.
struct summing_queens_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = max_queens;
  static constexpr bool reduces = true;
  queens_place at;
  std::uint8_t n, rows, cut_off;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (rows == cut_off) return block.add_to_sum(solutions_below(at, n));
    for (std::uint32_t left = at.free(n); left != 0; left &= left - 1)
      block.spawn(
          summing_queens_task{at.with(lowest_bit(left)), n, static_cast<std::uint8_t>(rows + 1), cut_off});
  }
};

/// Fibonacci's number n by a task for each call, summed by the pool.
struct summing_fibonacci_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = 2;
  static constexpr bool reduces = true;
  std::uint32_t n;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (n < 2) return block.add_to_sum(n);
    block.spawn(summing_fibonacci_task{n - 1});
    block.spawn(summing_fibonacci_task{n - 2});
  }
};

kernel_set const& fibonacci_above_kernels();
kernel_set const& queens_kernels();
kernel_set const& formula_kernels();
kernel_set const& summing_formula_kernels();
kernel_set const& summing_queens_kernels();
kernel_set const& summing_fibonacci_kernels();

}  // namespace ballast::bench

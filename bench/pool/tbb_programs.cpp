// SPDX-License-Identifier: Apache-2.0
#include "pool/tbb_programs.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace ballast::bench {

void run_by_tbb(int threads, std::function<void()> const& program) {
  tbb::task_arena arena(threads);
  arena.execute(program);
}

std::uint64_t fibonacci_by_tbb(std::uint32_t n, std::uint32_t cut_off) {
  if (n < cut_off) return fibonacci_by_calls(n);
  std::uint64_t first = 0, second = 0;
  tbb::task_group children;
  children.run([&first, n, cut_off] { first = fibonacci_by_tbb(n - 1, cut_off); });
  children.run_and_wait([&second, n, cut_off] { second = fibonacci_by_tbb(n - 2, cut_off); });
  return first + second;
}

void queens_by_tbb(spread_sum solutions, queens_place at, std::uint32_t n, std::uint32_t rows_to_cut_off) {
  if (rows_to_cut_off == 0) return solutions.add(at.key(), solutions_below(at, n));
  tbb::task_group children;
  for (std::uint32_t left = at.free(n); left != 0; left &= left - 1)
    children.run(
        [=, next = at.with(lowest_bit(left))] { queens_by_tbb(solutions, next, n, rows_to_cut_off - 1); });
  children.wait();
}

void formula_tree_by_tbb(spread_sum sum, formula_node node, std::uint32_t bushy) {
  node.work_for(sum);
  if (!node.has_children(bushy)) return;
  tbb::task_group children;
  for (std::uint32_t i = 1; i < formula_node::children; ++i)
    children.run([=] { formula_tree_by_tbb(sum, node.child(i), bushy); });
  children.run_and_wait([=] { formula_tree_by_tbb(sum, node.child(0), bushy); });
}

}  // namespace ballast::bench

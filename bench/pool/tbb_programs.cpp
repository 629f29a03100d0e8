// SPDX-License-Identifier: Apache-2.0
#include "pool/tbb_programs.hpp"

#include <tbb/enumerable_thread_specific.h>
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

namespace {

using parts_of_threads = tbb::enumerable_thread_specific<std::uint64_t>;

void sum_formula_tree_by_tbb(parts_of_threads& parts, formula_node node, std::uint32_t bushy) {
  parts.local() += node.work();
  if (!node.has_children(bushy)) return;
  tbb::task_group children;
  for (std::uint32_t i = 1; i < formula_node::children; ++i)
    children.run([&parts, bushy, child = node.child(i)] { sum_formula_tree_by_tbb(parts, child, bushy); });
  children.run_and_wait([&] { sum_formula_tree_by_tbb(parts, node.child(0), bushy); });
}

}  // namespace

std::uint64_t summed_formula_tree_by_tbb(int threads, std::uint32_t bushy) {
  parts_of_threads parts(std::uint64_t(0));
  run_by_tbb(threads, [&] { sum_formula_tree_by_tbb(parts, {}, bushy); });
  return parts.combine(std::plus<>());
}

}  // namespace ballast::bench

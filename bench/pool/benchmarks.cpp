// SPDX-License-Identifier: Apache-2.0
#include "pool/benchmarks.hpp"

namespace ballast::bench {

std::vector<benchmark> pool_benchmarks() {
  return {
      {"pool/fibonacci", "Fibonacci's numbers by a task for each call, without cut-off, by method",
       &measure_fibonacci},
      {"pool/block_tree", "a binary tree of 2 097 151 tasks that compute and load, by threads of a worker",
       &measure_block_tree},
      {"pool/empty_run", "starting and ending a run without work, by method", &measure_empty_run},
      {"pool/connect4_blocks", "four in a row by look-ahead, method and blocks", &measure_connect4_blocks},
      {"pool/connect4_storage",
       "four in a row by look-ahead and method, and the tasks stored; chunks also by warps and "
       "blocks",
       &measure_connect4_storage},
      {"pool/queens", "N queens by a task for each way to fill the first rows, by method", &measure_queens},
      {"pool/defaults",
       "recursion, queens, an unbalanced tree, one giant task and tiny ones by each method, and the "
       "default's "
       "regret",
       &measure_pool_defaults},
      {"pool/devices",
       "recursion, queens, an unbalanced tree, recursion with joins and four in a row on the first device "
       "and "
       "on all of the list",
       &measure_pool_devices, &needs_several_devices},
      {"pool/bfs",
       "breadth-first search of three kinds of graphs by each order of tasks, and how many tasks it takes",
       &measure_bfs},
      {"pool/shortest_paths", "shortest paths in the same graphs, with lengths", &measure_shortest_paths},
      {"pool/branch_and_bound",
       "a salesman's shortest tour of 13 to 16 cities by each order of tasks, and how many tasks it takes",
       &measure_branch_and_bound},
      {"pool/tbb", "Fibonacci's numbers, queens and an unbalanced tree in a pool and by oneTBB, on CPU cores",
       &measure_tbb, &needs_cores},
  };
}

}  // namespace ballast::bench

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
  };
}

}  // namespace ballast::bench

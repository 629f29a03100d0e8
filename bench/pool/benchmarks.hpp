// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

std::vector<benchmark> pool_benchmarks();

void measure_fibonacci(session&);
void measure_block_tree(session&);
void measure_empty_run(session&);
void measure_queens(session&);
void measure_tbb(session&);
void measure_bfs(session&);
void measure_shortest_paths(session&);
void measure_branch_and_bound(session&);
void measure_pool_defaults(session&);
void measure_pool_devices(session&);
std::string needs_several_devices(device_list const& devices);
std::string needs_cores(device_list const& devices);
void measure_connect4_blocks(session&);
void measure_connect4_storage(session&);

}  // namespace ballast::bench

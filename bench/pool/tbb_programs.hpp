// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "pool/peer_work.cuh"

// The peers' work as a program for oneTBB writes it: a task_group for the children of a task, which waits for
// them.

namespace ballast::bench {

/// Runs `program` on `threads` oneTBB threads, including the calling one, and waits for it.
void run_by_tbb(int threads, std::function<void()> const& program);

/// Call the following within run_by_tbb().
std::uint64_t fibonacci_by_tbb(std::uint32_t n, std::uint32_t cut_off);
void queens_by_tbb(spread_sum solutions, queens_place at, std::uint32_t n, std::uint32_t rows_to_cut_off);
void formula_tree_by_tbb(spread_sum sum, formula_node node, std::uint32_t bushy);
/// Sums every node's result, in a part for each thread (enumerable_thread_specific). Starts run_by_tbb()
/// itself.
std::uint64_t summed_formula_tree_by_tbb(int threads, std::uint32_t bushy);

}  // namespace ballast::bench

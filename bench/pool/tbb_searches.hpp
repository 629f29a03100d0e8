// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "pool/search_kernels.cuh"

// The searches as programs for oneTBB write them. They return how many tasks ran, and run on `threads`
// threads, including the calling one.

namespace ballast::bench {

/// Searches from the vertex by a concurrent_priority_queue, the nearest vertices first. Every distance but
/// that of the vertex, which is 0, is the greatest number at first. Edge is hop or road.
template <class Edge>
std::uint64_t search_by_tbb(int threads, graph_view<Edge> const& graph, std::uint32_t source);

/// By a concurrent_priority_queue, those that are expected to be short first.
std::uint64_t search_by_tbb(int threads, map_view const& map, partial_tour const& begun);
/// By a task_group, whose threads take the newest tasks first.
std::uint64_t search_by_tbb_group(int threads, map_view const& map, partial_tour const& begun);

}  // namespace ballast::bench

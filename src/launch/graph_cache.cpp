// SPDX-License-Identifier: Apache-2.0
#include "graph_cache.hpp"

#include <algorithm>

#include "graph_costs.hpp"

namespace ballast::detail {

graph_cache::lookup_result graph_cache::look_up(plain_batch const& batch) {
  bring_to_front(batch);
  auto& found = known_.front();
  for (auto const& graph : found.graphs)
    if (graph.use_count() == 1) return {graph, false};
  bool const may_build = !found.given_up && found.graphs.size() < max_graphs_per_shape;
  bool const build = may_build && is_worth_building(batch.launches(), found.misses);
  ++found.misses;
  return {nullptr, build};
}

void graph_cache::bring_to_front(plain_batch const& batch) {
  auto const found = std::ranges::find_if(known_, [&](auto const& one) { return batch.has(one.shape); });
  if (found != known_.end()) return known_.splice(known_.begin(), known_, found);
  known_.push_front({.shape = batch.shape(), .graphs = {}});
  evict_beyond(max_shapes, false);
}

void graph_cache::insert(std::shared_ptr<cached_graph> graph) {
  auto& of = known_.front();
  of.graphs.push_back(std::move(graph));
  of.misses = 0;
  evict_beyond(max_shapes_with_graph, true);
}

void graph_cache::give_up() {
  known_.front().given_up = true;
  known_.front().graphs.clear();
}

/// Those with graphs are counted by themselves, so that shapes that never recur do not drive them out.
void graph_cache::evict_beyond(std::size_t most, bool with_graphs) {
  auto const counts = [&](known_shape const& one) { return one.graphs.empty() != with_graphs; };
  if (std::size_t(std::ranges::count_if(known_, counts)) <= most) return;
  known_.erase(std::prev(std::find_if(known_.rbegin(), known_.rend(), counts).base()));
}

}  // namespace ballast::detail

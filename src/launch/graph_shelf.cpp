// SPDX-License-Identifier: Apache-2.0
#include "graph_shelf.hpp"

#include <algorithm>

#include "graph_costs.hpp"

namespace ballast::inline launch {

graph_shelf::finding graph_shelf::look_up(plain_batch const& batch) {
  bring_to_front(batch);
  auto& found = known_.front();
  for (auto const& graph : found.graphs)
    if (graph.use_count() == 1) return {graph, false};
  bool const may_build = !found.given_up && found.graphs.size() < most_graphs_of_shape;
  bool const build = may_build && is_worth_building(batch.launches(), found.times_gone_without);
  ++found.times_gone_without;
  return {nullptr, build};
}

void graph_shelf::bring_to_front(plain_batch const& batch) {
  auto const found = std::ranges::find_if(known_, [&](auto const& one) { return batch.has(one.shape); });
  if (found != known_.end()) return known_.splice(known_.begin(), known_, found);
  known_.push_front({.shape = batch.shape(), .graphs = {}});
  forget_beyond(most_shapes, false);
}

void graph_shelf::keep(std::shared_ptr<kept_graph> graph) {
  auto& of = known_.front();
  of.graphs.push_back(std::move(graph));
  of.times_gone_without = 0;
  forget_beyond(most_shapes_with_one, true);
}

void graph_shelf::give_up() {
  known_.front().given_up = true;
  known_.front().graphs.clear();
}

/// Those with graphs are counted by themselves, so that shapes that never recur do not drive them out.
void graph_shelf::forget_beyond(std::size_t most, bool with_graphs) {
  auto const counts = [&](known_shape const& one) { return one.graphs.empty() != with_graphs; };
  if (std::size_t(std::ranges::count_if(known_, counts)) <= most) return;
  known_.erase(std::prev(std::find_if(known_.rbegin(), known_.rend(), counts).base()));
}

}  // namespace ballast::inline launch

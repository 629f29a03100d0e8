// SPDX-License-Identifier: Apache-2.0
#include "graph_cache.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace ballast::detail {
namespace {

std::size_t bytes_of(batched_launch const& launch) {
  return std::accumulate(launch.argument_bytes.begin(), launch.argument_bytes.end(), std::size_t{0});
}

/// True if the arguments, one after another, are `bytes`.
bool are_equal(batched_launch const& launch, void* const* arguments, unsigned char const* bytes) {
  for (auto const size : launch.argument_bytes) {
    if (std::memcmp(*arguments++, bytes, size) != 0) return false;
    bytes += size;
  }
  return true;
}

}  // namespace

cached_graph::cached_graph(std::unique_ptr<launch_graph> graph, plain_batch const& built_of)
    : graph_(std::move(graph)) {
  for (auto const& branch : built_of.branches())
    for (auto const& launch : built_of.of(branch)) {
      auto const first_byte = bytes_.size();
      bytes_.resize(first_byte + bytes_of(launch));
      keep(built_of, launch, first_byte);
    }
}

std::size_t cached_graph::compare(plain_batch const& batch) {
  changed_.clear();
  std::size_t branch = 0, first_byte = 0;
  for (auto const& one : batch.branches()) {
    std::size_t place = 0;
    for (auto const& launch : batch.of(one)) {
      if (!are_equal(launch, batch.arguments_of(launch), bytes_.data() + first_byte))
        changed_.push_back({branch, place, first_byte});
      first_byte += bytes_of(launch);
      ++place;
    }
    ++branch;
  }
  return changed_.size();
}

void cached_graph::set_changed(plain_batch const& batch) {
  for (auto const& [branch, place, first_byte] : changed_) {
    auto const& launch = batch.of(batch.branches()[branch])[place];
    graph_->set_arguments(branch, place, batch.arguments_of(launch));
    keep(batch, launch, first_byte);
  }
}

void cached_graph::keep(plain_batch const& batch, batched_launch const& launch, std::size_t first_byte) {
  auto* to = bytes_.data() + first_byte;
  auto* const* from = batch.arguments_of(launch);
  for (auto const size : launch.argument_bytes) {
    std::memcpy(to, *from++, size);
    to += size;
  }
}

graph_cache::lookup_result graph_cache::look_up(plain_batch const& batch) {
  bring_to_front(batch);
  auto& found = known_.front();
  for (auto const& graph : found.graphs)
    if (graph.use_count() == 1) return {graph, false};
  bool const may_build = !found.given_up && found.graphs.size() < max_graphs_per_shape;
  bool const build = may_build && is_worth_building(batch.launches(), found.misses, costs_);
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

/// Counts shapes with graphs separately, so that shapes that never recur do not evict them.
void graph_cache::evict_beyond(std::size_t most, bool with_graphs) {
  auto const counts = [&](known_shape const& one) { return one.graphs.empty() != with_graphs; };
  if (std::size_t(std::ranges::count_if(known_, counts)) <= most) return;
  known_.erase(std::prev(std::find_if(known_.rbegin(), known_.rend(), counts).base()));
}

}  // namespace ballast::detail

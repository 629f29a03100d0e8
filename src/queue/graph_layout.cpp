// SPDX-License-Identifier: Apache-2.0
#include "graph_layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ballast::detail {

graph_layout::graph_layout(graph_plan plan) : plan_(std::move(plan)) { restore(); }

void graph_layout::restore() {
  has_run_.assign(plan_.needs.size(), false);
  is_rest_ = false;
  number_nodes();
}

void graph_layout::follow(graph_plan plan) {
  plan_ = std::move(plan);
  number_nodes();
}

std::size_t graph_layout::bytes_of(graph_plan const& plan) {
  auto const nodes = std::accumulate(plan.places.begin(), plan.places.end(), std::size_t(0));
  return graph_memory::bytes_of(nodes, plan.successors.size());
}

std::span<std::uint32_t const> graph_layout::successors(std::uint32_t task) const {
  auto const first = plan_.first_successor[task];
  return std::span(plan_.successors).subspan(first, plan_.first_successor[task + 1] - first);
}

/// The order comes first. What is run on with lies together, since one worker reads it.
void graph_layout::number_nodes() {
  node_of_.assign(has_run_.size(), no_graph_task);
  nodes_ = 0;
  for (auto task : plan_.order) {
    while (task != no_graph_task && has_run_[task]) task = plan_.runs_on[task];
    if (task != no_graph_task) add_nodes(task);
  }
  places_ = nodes_;
  for (auto task : plan_.order)
    for (; task != no_graph_task; task = plan_.runs_on[task])
      if (!has_run_[task] && node_of_[task] == no_graph_task) add_nodes(task);
}

void graph_layout::add_nodes(std::uint32_t task) {
  node_of_[task] = std::exchange(nodes_, nodes_ + plan_.places[task]);
}

std::vector<std::uint32_t> graph_layout::task_of_node() const {
  std::vector<std::uint32_t> all(nodes_);
  for (std::uint32_t task = 0; task < tasks(); ++task)
    if (node_of_[task] != no_graph_task) std::fill_n(all.begin() + node_of_[task], plan_.places[task], task);
  return all;
}

std::vector<std::uint32_t> graph_layout::needs_of_rest() const {
  auto needs = plan_.needs;
  for (std::uint32_t task = 0; task < tasks(); ++task)
    if (has_run_[task])
      for (auto const next : successors(task)) needs[next] -= plan_.places[task];
  return needs;
}

void graph_layout::write(graph_memory const& memory) const {
  auto const needs = needs_of_rest();
  std::uint32_t end = 0;
  for (std::uint32_t task = 0; task < tasks(); ++task) {
    if (has_run_[task]) continue;
    auto const node = node_of_[task], nodes = plan_.places[task], follower = plan_.runs_on[task];
    graph_node made{};
    made.needs = node < places_ ? needs[task] : 0;
    made.runs_on = follower == no_graph_task ? no_graph_task : node_of_[follower];
    made.first_far = end;
    for (auto const next : successors(task)) {
      if (next == follower) continue;
      auto const i = made.successors++;
      (i < graph_node::near_successors ? made.near[i] : memory.successor(end++)) = node_of_[next];
    }
    for (auto i = node; i < node + nodes; ++i) {
      memory.node(i) = made;
      memory.number(i) = task;
    }
  }
}

/// True if no worker has left one of the task's nodes.
bool graph_layout::has_run(std::uint32_t task, graph_memory const& seen) const {
  for (auto i = node_of_[task]; i < node_of_[task] + plan_.places[task]; ++i)
    if ((seen.number(i) & graph_memory::left) != 0) return false;
  return true;
}

void graph_layout::leave_out_run(graph_memory const& seen, std::uint32_t round) {
  auto const claimed = std::min(seen.claims(round), places_);
  for (auto task : plan_.order) {
    while (task != no_graph_task && node_of_[task] == no_graph_task) task = plan_.runs_on[task];
    if (task == no_graph_task || node_of_[task] + plan_.places[task] > claimed) continue;
    for (; task != no_graph_task && has_run(task, seen); task = plan_.runs_on[task]) has_run_[task] = true;
  }
  is_rest_ = true;
  number_nodes();
}

/// Nodes of predecessors that have not counted for a task in this round; 0 unless it waits in a worker's
/// hand.
std::uint32_t graph_layout::missing(std::uint32_t task, graph_memory const& seen, std::uint32_t round) const {
  auto const node = node_of_[task];
  if (node >= std::min(seen.claims(round), places_)) return 0;
  auto const needs = seen.node(node).needs & ~graph_node::prepares_bit;
  return needs - std::min(needs, seen.counter(node) - round * needs);
}

std::string graph_layout::describe_waits(graph_memory const& seen, std::uint32_t round) const {
  std::uint32_t waiting = 0;
  std::string text;
  for (std::uint32_t task = 0; task < tasks(); ++task) {
    auto const without = missing(task, seen, round);
    if (without == 0 || ++waiting > 4) continue;
    text += (waiting == 1 ? "" : ", ") + ("task " + std::to_string(task)) + " for " +
            std::to_string(without) + " of its " +
            counted(seen.node(node_of_[task]).needs & ~graph_node::prepares_bit, "predecessor");
  }
  if (waiting > 4) text += ", and " + std::to_string(waiting - 4) + " more";
  return text;
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ballast/detail/queue/graph_walk.cuh"
#include "graph_plan.hpp"

namespace ballast::detail {

/// Where the tasks of a planned graph lie in its memory: all of them, or the rest of a round that was cut
/// short. A grid task has several nodes, one behind another.
class graph_layout {
 public:
  graph_layout() = default;
  explicit graph_layout(graph_plan plan);

  /// Writes all but the records of the nodes, ready for round 0, into memory of zeros for nodes().
  void write(graph_memory const& memory) const;
  /// Leaves out what has run, of this layout, in the round that was cut short. A grid task of which a block
  /// has not run stays whole. `seen`: the memory after it.
  void leave_out_run(graph_memory const& seen, std::uint32_t round);
  /// Leaves out nothing.
  void restore();
  /// Takes another plan of the same tasks, and leaves out the same.
  void follow(graph_plan plan);
  /// Names some of the tasks that workers have taken and that wait in this round; "" if none does.
  std::string describe_waits(graph_memory const& seen, std::uint32_t round) const;

  bool is_rest() const { return is_rest_; }
  std::uint32_t tasks() const { return std::uint32_t(node_of_.size()); }
  std::uint32_t places() const { return places_; }  ///< nodes that are claimed
  std::uint32_t nodes() const { return nodes_; }
  /// Of a layout that leaves out nothing.
  static std::size_t bytes_of(graph_plan const& plan);
  /// The task's first node; no_graph_task if the task is left out.
  std::uint32_t node_of(std::uint32_t task) const { return node_of_[task]; }
  std::uint32_t nodes_of(std::uint32_t task) const { return plan_.places[task]; }
  std::vector<std::uint32_t> task_of_node() const;

 private:
  std::span<std::uint32_t const> successors(std::uint32_t task) const;
  void number_nodes();
  void add_nodes(std::uint32_t task);
  std::vector<std::uint32_t> needs_of_rest() const;
  bool has_run(std::uint32_t task, graph_memory const& seen) const;
  std::uint32_t missing(std::uint32_t task, graph_memory const& seen, std::uint32_t round) const;

  graph_plan plan_;
  std::vector<bool> has_run_;
  bool is_rest_ = false;
  std::vector<std::uint32_t> node_of_;
  std::uint32_t places_ = 0, nodes_ = 0;
};

}  // namespace ballast::detail

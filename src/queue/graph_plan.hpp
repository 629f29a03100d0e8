// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ballast/detail/queue/graph_walk.cuh"

namespace ballast::detail {

/// A graph of tasks, which are numbered from 0. The predecessors of task t lie in `predecessors` from
/// first_predecessor[t] up to first_predecessor[t + 1].
struct graph_shape {
  std::span<std::uint32_t const> first_predecessor = {};  ///< one more than there are tasks
  std::span<std::uint32_t const> predecessors = {};       ///< of lower numbers, in any order; duplicates
                                                          ///< count once
  /// The expected duration of each task, or of a block of a grid task, in microseconds, at least 0; 0 where
  /// it is not known.
  std::span<float const> costs = {};
  std::span<std::uint32_t const> blocks = {};  ///< of each grid task; 1 for others; empty if all are others

  std::uint32_t tasks() const { return std::uint32_t(costs.size()); }
};

/// The most tasks that run on after one another without a claim. A worker that never claims would keep the
/// tasks of the order waiting.
inline constexpr std::uint32_t max_run_on = 16;

/// The most places of a grid task for each worker: uneven blocks even out.
inline constexpr std::uint32_t max_places_of_worker = 4;

/// The order in which workers claim the tasks of a graph, and what each task waits for and releases.
///
/// Every task is in `order` once, or it is the runs_on of one other task. A grid task has several places in
/// the order, one behind another, each for an equal share of its blocks. A task stands in the order behind
/// its predecessors, and behind the tasks that these run on after; so a worker that claims places in order
/// waits only for tasks that others have begun.
struct graph_plan {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> first_successor, successors;  ///< of each task, as in graph_shape
  std::vector<std::uint32_t> places;                       ///< of each task, if in the order
  std::vector<std::uint32_t> needs;                        ///< of each task: the places of its predecessors
  /// The successor, waiting for this task alone, that the same worker runs next; no_graph_task if none.
  std::vector<std::uint32_t> runs_on;
  double length_us = 0;  ///< from the begin to the end of the simulated run
};

/// Plans the graph for this many workers, at least 1, by list scheduling: of the tasks that are ready, the
/// one with the longest path to the end begins first. Takes O(n log n) steps for n tasks and edges.
graph_plan plan_graph(graph_shape const& graph, std::uint32_t workers);

/// What a device was given that it has not finished.
struct given_work {
  double graphs_us = 0;     ///< planned lengths of the graphs, one after another
  std::uint64_t tasks = 0;  ///< other tasks, each of which counts as a task of a graph without a cost
  std::uint32_t workers = 1;
  double placed_us = 0;  ///< planned lengths of all graphs that came to the device, whether they run or not

  double busy_us() const;
};

/// The device for a graph of this planned length. It goes to the device that is expected to be free first; of
/// several such, to the one with the least placed_us. A graph that has memory on the device `home` stays
/// there unless another one will be free earlier by more than four of its lengths. Pure.
std::size_t device_for_graph(std::span<given_work const> devices, std::optional<std::size_t> home,
                             double length_us);

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/task_graph.hpp"
#include "graph_trace.hpp"
#include "placed_graph.hpp"

namespace ballast::detail {

/// What a graph needs to know of the queue that runs it.
struct graph_runner {
  std::shared_ptr<compute_device> device;
  kernel_set const* kernels;
  std::uint32_t workers;
  traced_rounds* rounds;
  /// True if the device can wait for the completion.
  std::function<bool(completion const&)> can_await;
  /// Submits the records after a completion that the device can wait for, or that is ready.
  std::function<completion(std::span<task_record const>, completion const&)> submit;
};

/// The inside of a task_graph, which calls it with `mutex` held.
struct graph_state {
  explicit graph_state(kernel_set const& list);

  std::uint32_t checked_index(graph_task which, char const* argument) const;
  /// A grid task of one block is a plain task.
  task_record checked_record(task const& one) const;
  graph_task add(task const& one, graph_task_options const& options);
  void set(graph_task which, task const& with);
  void keep_members(std::uint32_t index, task const& of);
  graph_plan planned(std::span<float const> costs) const;
  void place(graph_runner const& on);
  std::shared_ptr<traced_graph const> const& for_trace();
  /// Plans anew by what tasks of unknown cost took. Only while no round runs.
  void learn_costs();
  completion submit(graph_runner const& on);
  /// Waits until no round runs, and notes whether the last one ended well.
  void await_last();

  std::mutex mutex;
  kernel_set const* kernels;
  std::uint64_t const uid;
  std::vector<task_record> records;
  std::map<std::uint32_t, task_arguments> members;  ///< to which records refer
  std::vector<std::uint32_t> first_predecessor = {0}, predecessors;
  std::vector<float> costs_us;
  placed_graph placed;
  std::shared_ptr<traced_graph const> traced;  ///< made for the first round that is traced
  bool is_placed = false, has_changed = false;
  bool is_clear = true;       ///< the memory is ready for round `rounds`
  bool learns = false;        ///< the first rounds measure tasks of unknown cost
  std::uint32_t workers = 0;  ///< for which the graph was planned
  std::uint32_t rounds = 0;
  completion last;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
  std::uint32_t workers;  ///< the most that are to run it
  traced_rounds* rounds;
  /// True if the device can wait for the completion.
  std::function<bool(completion const&)> can_await;
  /// Submits the records after completions that the device can wait for, or that are ready.
  std::function<completion(std::span<task_record const>, std::span<completion const>,
                           std::optional<deadline> const&)>
      submit;
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
  graph_plan planned(std::uint32_t for_workers) const;
  void place(graph_runner const& on, std::optional<deadline> const& until = {});
  std::shared_ptr<traced_graph const> const& for_trace();
  /// Plans anew by what tasks of unknown cost took. Only while no round runs.
  void learn_costs();
  completion submit(graph_runner const& on, std::span<completion const> after,
                    std::optional<deadline> const& until);
  void begin_round(graph_runner const& on, std::span<completion const> after,
                   std::optional<deadline> const& until);
  /// Waits until no round runs, and notes whether the last one ended well.
  void await_last(std::optional<deadline> const& until = {});
  /// Notes that this error ended a round, or kept its last workers from being accepted.
  void note_cut(error const& failure);
  /// Chooses what the next write() leaves out: what has run of a round that a stop cut short; as before if no
  /// round has begun since; or nothing.
  void choose_rest();
  /// Makes the memory ready for a whole round, or for the rest of the one that a stop cut short.
  void write();
  /// True if all tasks are of kernels that are `repeatable`.
  bool is_repeatable() const;

  std::mutex mutex;
  kernel_set const* kernels;
  std::uint64_t const uid;
  std::vector<task_record> records;
  std::map<std::uint32_t, task_arguments> members;  ///< to which records refer
  std::vector<std::uint32_t> first_predecessor = {0}, predecessors;
  std::vector<float> costs_us;
  std::shared_ptr<placed_graph> placed;        ///< a queue that describes itself may hold it longer
  std::vector<float> measured_us;              ///< what tasks of unknown cost took; empty until that is known
  std::shared_ptr<traced_graph const> traced;  ///< made for the first round that is traced
  std::uint32_t planned_workers = 0;
  double length_us = 0;     ///< as planned
  std::uint32_t walks = 0;  ///< of the last submission: the workers that run it, each a task of the queue
  bool is_placed = false, has_changed = false;
  bool is_clear = true;  ///< the memory is ready for the next round
  bool is_cut = false;   ///< a stop cut the last round short
  bool learns = false;   ///< the first rounds measure tasks of unknown cost
  completion last;
};

}  // namespace ballast::detail

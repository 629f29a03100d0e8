// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ballast/task.hpp"
#include "ballast/version.hpp"

namespace ballast {

class balanced_queue;
class task_queue;

namespace detail {
struct graph_state;
}

/// Names a task of a task_graph. Cheap to copy.
class graph_task {
 public:
  /// Names no task.
  graph_task() = default;

  /// How many tasks were added to its graph before it. Messages name tasks by this number.
  std::uint32_t index() const { return index_; }

 private:
  friend struct detail::graph_state;
  graph_task(std::uint64_t graph, std::uint32_t index) : graph_(graph), index_(index) {}

  std::uint64_t graph_ = 0;
  std::uint32_t index_ = 0;
};

/// What is known of a task of a graph besides its arguments.
struct graph_task_options {
  /// The tasks of the same graph that must have run before this one begins. Duplicates count once.
  std::vector<graph_task> after = {};
  /// The expected duration in microseconds, of a grid task that of a block, 0 to 1e15. Changes only the order
  /// of tasks that are ready, and how many blocks of a grid task a worker claims at once. 0: not known. The
  /// first two runs then measure it, and a later submission that finds the graph idle plans it anew.
  double cost = 0;
};

/// Tasks with any dependencies among them, which submit() of a queue runs as a whole, again and again. The
/// writes of a task are visible to all that come after it. A worker claims one task after another, in an
/// order that is planned once, waits on the device until its predecessors have run, and takes no other work
/// meanwhile. Any thread may call any member; calls wait for each other.
class BALLAST_API task_graph {
 public:
  /// An empty graph of tasks of this set, which must outlive it. Throws bad_argument ("kernels") if tasks of
  /// the set may create tasks, or if one of its kernels has one thread.
  explicit task_graph(kernel_set const& kernels);
  /// Waits for the last submission, as completion::wait(), and frees the graph's memory as
  /// compute_device::release(). A queue that has had the graph keeps that on a GPU until its run has ended.
  ~task_graph();
  task_graph(task_graph const&) = delete;
  task_graph& operator=(task_graph const&) = delete;

  /// Adds a task and returns its name. The next submission plans the graph anew. Workers share the blocks of
  /// a grid task, and tasks after it begin once all have run. Throws bad_argument ("after") for a predecessor
  /// that is no task of this graph, ("cost"), and ("kernel", "count") as ballast::launch().
  graph_task add(task const& one, graph_task_options const& options = {});
  /// Gives a task other members, or another kernel, for the same blocks, from the next submission on, which
  /// plans the graph anew if members over 40 bytes take more memory than the task has. Throws bad_argument
  /// ("which") if it is no task of this graph, and ("kernel") as add().
  template <kernel_form K>
  void set(graph_task which, K const& kernel) {
    set_task(which, task(kernel));
  }
  /// Plans the graph for all of the queue's workers and allocates its memory, as the first submission does by
  /// itself: 140 bytes a task (a grid task counts as up to four a worker), 4 an edge, and members over
  /// 40 bytes, on the device and in pinned memory. On a GPU call it while no resident kernel runs there,
  /// since the allocation may wait for that. If the graph has to be planned anew, waits first for its last
  /// submission, as completion::wait(). Throws as that and compute_device::allocate(), and bad_argument
  /// ("graph") if the queue has another set of kernels.
  void plan(task_queue& queue);
  /// The same for the device that the first submission would choose; on a GPU between close() and start().
  void plan(balanced_queue& queue);

 private:
  friend class balanced_queue;
  friend class task_queue;
  void set_task(graph_task which, task const& with);

  std::unique_ptr<detail::graph_state> state_;
};

}  // namespace ballast

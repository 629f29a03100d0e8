// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ballast/detail/queue/ring_words.cuh"
#include "ballast/task_queue.hpp"

namespace ballast::detail {

/// What the trace of a queue keeps of a graph, which may end before the queue.
struct traced_graph {
  std::uint64_t uid = 0;
  std::vector<std::uint32_t> first_predecessor, predecessors;  ///< as in graph_shape
  std::vector<std::uint32_t> task_of_node;
};

/// Numbers the rounds of graphs that a queue traces, from 1, over all its runs. Any thread may call.
class traced_rounds {
 public:
  /// `most`: how many are numbered in a run; 0 if the queue traces none.
  explicit traced_rounds(std::size_t most) : most_(most) {}

  bool are_traced() const { return most_ > 0; }
  /// The number of a round of this graph; 0 if this run has the most already.
  std::uint32_t add(std::shared_ptr<traced_graph const> graph);
  /// Forgets the rounds of the last run.
  void begin_run();
  /// The graph of a round of this run, until begin_run(); null for any other number.
  traced_graph const* find(std::uint32_t number) const;

 private:
  std::size_t const most_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<traced_graph const>> graphs_;
  std::uint32_t before_ = 0;  ///< rounds of earlier runs
};

/// Notes in the span what the task belonged to: a graph's round or a submission. To neither if the round is
/// unknown, as after begin_run().
void name_work(task_span& of, task_times const& recorded, traced_rounds const& rounds);

/// A span for each task, which are given by worker and then by time, and one for each round of a graph, with
/// its critical path: the chain of tasks that took longest. Tasks have their blocks as counts, and the
/// submission or, if they are of a graph: the round, the
/// number of the task, and, if a predecessor ended while their worker had nothing else to run in the round,
/// for how long and for which predecessor the worker waited.
std::vector<span> spans_of_tasks(std::span<task_span const> tasks, traced_rounds const& rounds,
                                 kernel_set const& kernels);

}  // namespace ballast::detail

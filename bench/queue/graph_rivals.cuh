// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/device/task_of_kernel.cuh"
#include "ballast/task.hpp"
#include "device/launched.cuh"
#include "harness/session.hpp"

namespace ballast::bench {

/// The dependencies of tasks that stand level by level. All predecessors of a task are in earlier levels.
struct levelled_tasks {
  std::vector<std::uint32_t> first_of_level;        ///< then the number of tasks
  std::vector<std::uint32_t> first_predecessor{0};  ///< of each task in `predecessors`, then their number
  std::vector<std::uint32_t> predecessors;
  std::vector<double> costs;  ///< of each task, in microseconds as guessed

  std::uint32_t tasks() const { return std::uint32_t(costs.size()); }
  std::uint32_t levels() const { return std::uint32_t(first_of_level.size() - 1); }
  std::uint32_t widest() const;
  std::vector<std::uint32_t> predecessors_of(std::uint32_t task) const {
    auto const all = predecessors.begin();
    return {all + first_predecessor[task], all + first_predecessor[task + 1]};
  }

  /// The next task begins a level.
  void begin_level() { first_of_level.push_back(tasks()); }
  /// Adds a task and returns its index; a predecessor counts once.
  std::uint32_t add(std::vector<std::uint32_t> after, double cost);
};

/// Where the levels begin, and a barrier that all blocks of a cooperative launch pass after each.
struct level_barrier {
  array_ref<std::uint32_t const> first_of_level;
  array_ref<std::uint32_t> arrived;  ///< a word that counts over all launches, modulo 2^32
  std::uint32_t levels, arrived_before;

  template <class Block>
  BALLAST_HD void pass(Block& block, std::uint32_t level) const {
    block.sync();
    if (block.rank() == 0) await(arrived_before + block.count() * (level + 1));
    block.sync();
  }

 private:
  BALLAST_HD void await(std::uint32_t all) const {
    device_atomic<std::uint32_t> const word(arrived[0]);
    fence_after_relaxed<scope::device>();
    word.add_release(1);
    while (std::int32_t(word.load_relaxed() - all) < 0) give_way();  // the word wraps
    detail::acquire_polled(word);
  }
  BALLAST_HD static void give_way() {
#if !BALLAST_ON_GPU
    std::this_thread::yield();
#endif
  }
};

/// Runs all tasks of a graph in a cooperative launch. A task is the block of K with its index.
template <kernel_form K>
struct all_levels {
  static constexpr int threads = K::threads, blocks_per_multiprocessor = detail::requested_blocks<K>;
  using scratch = scratch_of<K>;

  K kernel;
  level_barrier barrier;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const mine = block.index();
    auto const& first = barrier.first_of_level;
    for (std::uint32_t level = 0; level < barrier.levels; ++level) {
      for (auto task = first[level] + mine; task < first[level + 1]; task += block.count()) {
        block.move_to(task);
        detail::call_kernel(kernel, block);
        block.sync();
      }
      barrier.pass(block, level);
    }
  }
};

/// The kernel of a graph's tasks, of which task i is block i, as each way to run them needs it.
struct rival_kernel {
  kernel_set const* set;
  std::function<task(block_range)> task_of;
  kernel_code code;  ///< of a launch, whose argument these bytes are
  std::function<std::vector<std::byte>(block_range)> argument;
  std::function<std::uint32_t(compute_device&)> most_at_once;  ///< blocks of a cooperative launch
  std::function<void(stream&, std::uint32_t blocks, level_barrier const&)> start_levels;
};

/// Of a kernel from a set for queues. BALLAST_LAUNCHED has all_levels<K>.
template <kernel_form K>
rival_kernel rival(kernel_set const& set, K const& kernel) {
  auto const code = std::ranges::find(set.kernels(), key_of<K>, &detail::listed_kernel::key)->code;
  return {&set,
          [=](block_range range) { return task(kernel, range); },
          code,
          [=](block_range range) {
            detail::task_of_kernel<K> const whole{kernel, range};
            std::vector<std::byte> bytes(sizeof whole);
            std::memcpy(bytes.data(), &whole, sizeof whole);
            return bytes;
          },
          [](compute_device& device) {
            auto const fit = device.resources(code_of<all_levels<K>>()).blocks_per_multiprocessor;
            return std::uint32_t(fit * device.properties().multiprocessors);
          },
          [=](stream& on, std::uint32_t blocks, level_barrier const& levels) {
            start_together(on, blocks, all_levels<K>{kernel, levels});
          }};
}

/// True if the kernel can wait for the launch before, so that it may begin earlier: on GPUs of compute
/// capability 9.0 or later, if it was compiled for these.
bool may_begin_early(compute_device& device, kernel_code const& code);

/// A CUDA graph with a kernel node for each task, as a program that enqueues it; if `early`, with
/// programmatic edges, for kernels that may_begin_early(). Empty on cores. Throws ballast::error with CUDA's
/// message.
std::function<void(stream&)> node_graph(compute_device& device, levelled_tasks const& tasks,
                                        rival_kernel const& kernel, bool early);

/// A library that runs graphs of tasks on cores.
struct graph_peer {
  std::string name;
  /// Returns a program that runs all tasks by `run(task)` on this number of threads and waits for them. Both
  /// references must outlive it. Empty if the program was built without the library.
  std::function<std::function<void()>(levelled_tasks const&, std::function<void(std::uint32_t)> const& run,
                                      int threads)>
      make;
};
std::vector<graph_peer> graph_peers();

/// How results of a problem are known to be right.
struct rival_answer {
  /// Enqueues copies from pinned memory, after which all results are to be computed again. No kernels, since
  /// a resident kernel may leave no room for one.
  std::function<void(stream&)> clear;
  std::function<bool(stream&)> is_right;
  std::string how;  ///< says how is_right() knows
};

/// A problem whose tasks form a graph, as it is measured.
struct rival_problem {
  std::string of;  ///< ends the name of each curve
  double x;        ///< of each curve
  std::string unit;
  double units_per_second;
  levelled_tasks tasks;
  rival_answer answer;
  int workers = 0;  ///< of the task graph; 0: all that the device has room for
};

/// The ways to run a graph's tasks on the session's first device, each of them measured and verified.
class graph_rivals {
 public:
  graph_rivals(session& now, rival_problem problem);

  /// Measures a task graph, launches, CUDA graphs of launches and of nodes, a barrier, and on cores other
  /// libraries.
  void measure_all(rival_kernel const& kernel);
  /// Measures the task graph alone, which is told how long its tasks take, or measures that.
  void measure_task_graph(rival_kernel const& kernel, bool with_costs = true);
  /// Measures a batch for each level, after the batch before.
  void measure_batches(rival_kernel const& kernel);
  /// Measures all tasks as the blocks of one, one after another: what they take without a graph.
  void measure_one_task(rival_kernel const& kernel);
  /// Measures the ways with a launch for each level; `of` ends their names.
  void measure_launches(rival_kernel const& kernel, std::string const& of = "");
  /// Measures `run`, which returns once all tasks have run. Null: says in the record that it was left out.
  void measure(std::string const& name, std::function<void()> const& run) {
    measure(name, run, problem_.answer);
  }
  /// With results elsewhere, such as a library's.
  void measure(std::string const& name, std::function<void()> const& run, rival_answer const& answer);
  /// Adds to the record how long the best other way takes, over the task graph.
  void compare() const;

  stream& on() { return *stream_; }

 private:
  void measure_nodes(rival_kernel const& kernel);
  void measure_barrier(rival_kernel const& kernel);
  void measure_on_cores(rival_kernel const& kernel);
  void launch_levels(kernel_code const& code, rival_kernel const& kernel);

  session& now_;
  rival_problem problem_;
  std::unique_ptr<stream> stream_;
  double best_other_ = 0;
};

}  // namespace ballast::bench

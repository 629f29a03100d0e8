// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ballast/detail/resident/task_record.cuh"
#include "ballast/device.hpp"
#include "ballast/kernel.cuh"
#include "ballast/stream.hpp"

namespace ballast {

inline constexpr std::uint32_t argument_words = 10;  ///< 40 bytes of arguments travel in a task
inline constexpr std::uint32_t max_blocks_per_task = (1u << 24) - 1;  ///< the count has 24 bits

/// A hint how long a task takes, in any unit that is the same for all tasks of a batch; 0: not known.
struct task_cost {
  /// Only compared, so that any unit will do.
  std::uint32_t units = 0;
  /// By units; a task of unknown cost counts as the shortest.
  auto operator<=>(task_cost const&) const = default;
};

/// A range of blocks of a kernel, ready to be queued. Cheap to copy; holds the kernel's arguments by value.
/// The range's count is checked when the task is submitted (1 .. max_blocks_per_task).
class task {
 public:
  /// Blocks `range` of a kernel, whose members are copied. A kernel has at most 40 bytes of members, or is
  /// indirect.
  template <kernel_form K>
  explicit task(K const& kernel, block_range range = {}, task_cost cost = {})
      : key_(key_of<K>), range_(range), cost_(cost) {
    static_assert(sizeof(K) <= sizeof(arguments_),
                  "this kernel's arguments exceed 40 bytes: list and submit it as indirect<K>");
    std::memcpy(arguments_.data(), &kernel, sizeof(K));
  }

  /// Which kernel it is of.
  kernel_key key() const { return key_; }
  /// Which blocks it stands for.
  block_range range() const { return range_; }
  /// Of the tasks of one batch those with the greater cost begin first. A task that is handed back has none.
  task_cost cost() const { return cost_; }
  /// Whether each block is a task of its own: see grid_task().
  bool is_grid() const { return is_grid_; }
  /// The kernel's members, as 40 bytes of which the rest is 0.
  std::array<std::uint32_t, argument_words> const& arguments() const { return arguments_; }

  /// See grid_task().
  friend task grid_task(task whole) {
    whole.is_grid_ = true;
    return whole;
  }

  /// Rebuilds a task that was read back from a queue.
  task(kernel_key key, block_range range, std::array<std::uint32_t, argument_words> const& arguments)
      : key_(key), range_(range), arguments_(arguments) {}

 private:
  kernel_key key_;
  block_range range_;
  task_cost cost_;
  bool is_grid_ = false;
  std::array<std::uint32_t, argument_words> arguments_{};
};

/// The same blocks, each as a task of its own: one entry in a queue, for a grid whose blocks any worker may
/// take. `first` to `first + count - 1` run in any order and at the same time; a cost is that of the dearest.
task grid_task(task whole);

/// Identifies a type of task source (the queue's, the pool's) among the entries of a list.
using source_key = void const*;

/// The object whose address is the source_key_of a type.
template <class Source>
struct source_tag {
  /// Only its address counts.
  static constexpr char here = 0;
};
/// The key of a type of source, which is the same wherever it is asked for.
template <class Source>
constexpr source_key source_key_of = &source_tag<Source>::here;

/// One kernel of a list; its code runs it as an ordinary launch.
struct listed_kernel {
  /// Identifies the kernel's type.
  kernel_key key;
  /// The kernel's type, as C++ writes it.
  std::string name;
  /// Runs one task by an ordinary launch.
  kernel_code code;
  std::uint32_t spawns = 0;         ///< children that a block of it may create; only a pool keeps them
  std::uint32_t joins = 0;          ///< joins that a block of it may make; likewise
  std::uint32_t tasks_at_once = 1;  ///< that a block of a GPU runs: 32 if each thread of a warp runs its own
};

/// The resident worker loop of a list, for one type of source.
struct resident_entry {
  /// Which source the loop takes tasks from.
  source_key source;
  /// The resident kernel.
  kernel_code code;
};

/// What a kernel list became when its .cu file was compiled: the object that queues take by reference, so
/// that their users are plain .cpp. Immutable; lives as long as the program; any thread may call.
class compiled_kernels {
 public:
  /// For the macros that compile lists, one kernel at least.
  compiled_kernels(std::string name, std::vector<listed_kernel> kernels, std::vector<resident_entry> entries);

  /// The name that the macro was given.
  std::string const& name() const { return name_; }
  /// Threads of a block on a GPU, equal for all kernels of the list.
  std::uint32_t threads() const { return kernels_.front().code.threads; }
  /// The kernels, in the order in which they were listed.
  std::span<listed_kernel const> kernels() const { return kernels_; }
  /// The most children that a block of any of them may create.
  std::uint32_t max_spawns() const;
  /// The most joins that a block of any of them may make.
  std::uint32_t max_joins() const;

  /// The task as it travels. Throws bad_argument ("kernel") if its kernel is not in the list, ("count") if
  /// its block count is not 1 .. max_blocks_per_task.
  detail::task_record record_of(task const& task) const;
  /// The task that a record came from.
  task task_of(detail::task_record const& record) const;

  /// Whether the list was compiled for that source.
  bool has_entry_for(source_key source) const;
  /// The entry for a type of source. Throws ballast::error if the list was compiled without it.
  kernel_code const& entry_for(source_key source) const;

  /// Runs the task as an ordinary launch of its block count on a stream, for whoever needs no queue. Does not
  /// synchronise. Throws like record_of(), and if the kernel is one that only a pool can run.
  void launch(stream& on, task const& task) const;

  /// What each kernel alone needs on a device, in list order. Loads the kernels.
  std::vector<kernel_resources> resources(compute_device& device) const;
  /// The kernel with which the fewest blocks fit on an SM: the one that the list pays for.
  listed_kernel const& heaviest(compute_device& device) const;

 private:
  std::uint32_t id_of(kernel_key key) const;
  [[noreturn]] void throw_unknown_kernel(kernel_key key) const;
  [[noreturn]] static void throw_bad_count(std::uint32_t count);

  std::string name_;
  std::vector<listed_kernel> kernels_;
  std::vector<kernel_key> keys_;  ///< of kernels_: what every task is looked up in
  std::vector<resident_entry> entries_;
};

inline std::uint32_t compiled_kernels::id_of(kernel_key key) const {
  for (std::uint32_t id = 0; id < keys_.size(); ++id)
    if (keys_[id] == key) return id;
  throw_unknown_kernel(key);
}

inline detail::task_record compiled_kernels::record_of(task const& task) const {
  auto const range = task.range();
  if (range.count < 1 || range.count > max_blocks_per_task) throw_bad_count(range.count);
  static_assert(argument_words == 10);
  // Word by word, so that the compiler keeps them in registers: words that are copied through memory in
  // pieces of one size and read in another wait there until every store before them has left the core.
  auto const& a = task.arguments();
  detail::task_record record{{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], 0, 0}};
  record.describe(range, id_of(task.key()) | (task.is_grid() ? detail::task_record::grid_bit : 0));
  return record;
}

/// Puts the tasks into start_order(), if any has a cost, and into the form in which they travel, in place of
/// what `into` held. Throws like compiled_kernels::record_of().
void prepare(compiled_kernels const& kernels, std::span<task const> tasks,
             std::vector<detail::task_record>& into);

/// Tasks that were checked against a list and put into the form in which they travel: for programs that
/// submit the same tasks again and again. Immutable; the list must outlive it.
class prepared_tasks {
 public:
  prepared_tasks() = default;
  /// By prepare().
  prepared_tasks(compiled_kernels const& kernels, std::span<task const> tasks);

  /// The list that the tasks were checked against; null if there are none.
  compiled_kernels const* kernels() const { return kernels_; }
  /// The tasks in the order in which they start, as they travel.
  std::span<detail::task_record const> records() const { return records_; }
  /// Whether one of them is a grid task.
  bool has_grids() const;
  /// The same without grid tasks: each of their blocks is a task in the list.
  prepared_tasks expand_grids() const;

 private:
  compiled_kernels const* kernels_ = nullptr;
  std::vector<detail::task_record> records_;
};

}  // namespace ballast

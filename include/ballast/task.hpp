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

/// A hint of how long a task takes, in any unit that is the same for all tasks of a batch; 0: not known.
struct task_cost {
  /// Only compared, so that any unit will do.
  std::uint32_t units = 0;
  /// By units; a task of unknown cost counts as the shortest.
  auto operator<=>(task_cost const&) const = default;
};

/// A range of blocks of a kernel, ready to be queued. Cheap to copy; holds the kernel's arguments by value
/// (at most 40 bytes). Submission checks that the range's count is 1 to max_blocks_per_task.
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
  /// The tasks of one batch with the greater cost start first. A task that a queue returned has no cost.
  task_cost cost() const { return cost_; }
  /// Whether it was made by grid_task().
  bool is_grid() const { return is_grid_; }
  /// The kernel's members, as 40 bytes of which the rest is 0.
  std::array<std::uint32_t, argument_words> const& arguments() const { return arguments_; }

  /// Makes a grid task; declared below.
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

/// Makes each block of `whole` a separate task, in one entry of a queue: a grid whose blocks any worker may
/// take. Blocks `first` to `first + count - 1` run in any order and concurrently; a cost applies to the
/// costliest block.
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
  std::uint32_t spawns = 0;  ///< children that a block may create; only pools run kernels that create any
  std::uint32_t joins = 0;   ///< joins that a block may make; only pools run kernels that make any
  std::uint32_t tasks_at_once = 1;  ///< that a block of a GPU runs: 32 if each thread of a warp runs its own
  bool reduces =
      false;  ///< whether blocks add to their run's sum or raise its maximum, which only pools keep
};

/// The resident worker loop of a list, for one type of source.
struct resident_entry {
  /// Which source the loop takes tasks from.
  source_key source;
  /// The resident kernel.
  kernel_code code;
};

/// A compiled kernel list: the object that queues and pools take by reference, so that the code that uses
/// them is plain C++. Immutable; lives as long as the program; any thread may call any member.
class compiled_kernels {
 public:
  /// For the macros that compile lists, one kernel at least.
  compiled_kernels(std::string name, std::vector<listed_kernel> kernels, std::vector<resident_entry> entries);

  /// The name that the macro was given.
  std::string const& name() const { return name_; }
  /// Threads of a block, equal for all kernels of the list.
  std::uint32_t threads() const { return kernels_.front().code.threads; }
  /// The kernels, in the order in which they were listed.
  std::span<listed_kernel const> kernels() const { return kernels_; }
  /// The largest `spawns` of any kernel of the list.
  std::uint32_t max_spawns() const;
  /// The largest `joins` of any kernel of the list.
  std::uint32_t max_joins() const;
  /// How many workers a resident block is on the device: 32 if each thread of a GPU's warp runs its own
  /// tasks, else 1.
  std::uint32_t workers_of_block(compute_device const& device) const;

  /// The task in the format in which it travels to the device. Throws bad_argument ("kernel") if its kernel
  /// is not in the list, ("count") if its block count is not 1 to max_blocks_per_task.
  detail::task_record record_of(task const& task) const;
  /// The task from which a record was made; its cost is lost.
  task task_of(detail::task_record const& record) const;

  /// Whether the list was compiled for a type of source.
  bool has_entry_for(source_key source) const;
  /// The resident kernel for a type of source. Throws ballast::error if the list was compiled without it.
  kernel_code const& entry_for(source_key source) const;

  /// Enqueues the task to a stream as an ordinary launch with its block count, for programs that need no
  /// queue. Does not wait. Throws as record_of(), and bad_argument ("kernel") if the kernel creates tasks.
  void launch(stream& on, task const& task) const;

  /// The resources that each kernel needs by itself on a device, in list order. Loads the kernels, which may
  /// wait for the device.
  std::vector<kernel_resources> resources(compute_device& device) const;
  /// The kernel of which the fewest blocks fit on an SM; it determines the resources of the whole list. Loads
  /// the kernels.
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

/// Sorts the tasks into start_order(), if any has a cost, and writes them to `into` in the format in which
/// they travel, replacing what it held. Throws as compiled_kernels::record_of().
void prepare(compiled_kernels const& kernels, std::span<task const> tasks,
             std::vector<detail::task_record>& into);

/// Tasks that were checked against a list and converted to the format in which they travel, for programs that
/// submit the same tasks repeatedly. Immutable; the list must outlive it.
class prepared_tasks {
 public:
  prepared_tasks() = default;
  /// Checks, sorts and converts the tasks, as prepare(). Throws as compiled_kernels::record_of().
  prepared_tasks(compiled_kernels const& kernels, std::span<task const> tasks);

  /// The list for which the tasks were prepared; null if default-constructed.
  compiled_kernels const* kernels() const { return kernels_; }
  /// The tasks in the order in which they start, as they travel.
  std::span<detail::task_record const> records() const { return records_; }
  /// Whether any of the tasks is a grid task.
  bool has_grids() const;
  /// A copy in which each block of a grid task is a separate task.
  prepared_tasks expand_grids() const;

 private:
  compiled_kernels const* kernels_ = nullptr;
  std::vector<detail::task_record> records_;
};

}  // namespace ballast

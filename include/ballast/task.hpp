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
#include "ballast/kernel_set.hpp"
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

namespace detail {

[[noreturn]] void throw_bad_count(std::uint32_t count);

/// The task in the format in which it travels to the device. Throws bad_argument ("kernel") if its kernel is
/// not in the set, ("count") if its block count is not 1 to max_blocks_per_task.
inline task_record record_of(kernel_set const& kernels, task const& task) {
  auto const range = task.range();
  if (range.count < 1 || range.count > max_blocks_per_task) throw_bad_count(range.count);
  static_assert(argument_words == 10);
  // Word by word, so that the compiler keeps them in registers: words that are copied through memory in
  // pieces of one size and read in another wait there until every store before them has left the core.
  auto const& a = task.arguments();
  task_record record{{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], 0, 0}};
  record.describe(range, kernels.index_of(task.key()) | (task.is_grid() ? task_record::grid_bit : 0));
  return record;
}
/// The task from which a record was made; its cost is lost.
task task_of(kernel_set const& kernels, task_record const& record);

}  // namespace detail

/// Enqueues the task to a stream as an ordinary launch with its block count, for programs that need no queue.
/// Does not wait. Throws bad_argument ("kernel") if its kernel is not in the set, creates tasks or reduces,
/// and ("count") if its block count is not 1 to max_blocks_per_task.
void launch(kernel_set const& kernels, stream& on, task const& task);

/// Sorts the tasks into start_order(), if any has a cost, and writes them to `into` in the format in which
/// they travel, replacing what it held. Throws bad_argument ("kernel", "count") as launch().
void prepare(kernel_set const& kernels, std::span<task const> tasks, std::vector<detail::task_record>& into);

/// Tasks that were checked against a set and converted to the format in which they travel, for programs that
/// submit the same tasks repeatedly. Immutable; the set must outlive it.
class prepared_tasks {
 public:
  prepared_tasks() = default;
  /// Checks, sorts and converts the tasks, as prepare(). Throws bad_argument ("kernel", "count") as launch().
  prepared_tasks(kernel_set const& kernels, std::span<task const> tasks);

  /// The set for which the tasks were prepared; null if default-constructed.
  kernel_set const* kernels() const { return kernels_; }
  /// The tasks in the order in which they start, as they travel.
  std::span<detail::task_record const> records() const { return records_; }
  /// Whether any of the tasks is a grid task.
  bool has_grids() const;
  /// A copy in which each block of a grid task is a separate task.
  prepared_tasks expand_grids() const;

 private:
  kernel_set const* kernels_ = nullptr;
  std::vector<detail::task_record> records_;
};

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>

#include "ballast/device/block.cuh"
#include "ballast/device/kernel_form.cuh"
#include "ballast/device/kernel_identity.hpp"

namespace ballast::inline resident {

inline constexpr std::uint32_t argument_words = 10;  ///< 40 bytes of arguments travel in a task
inline constexpr std::uint32_t max_blocks_per_task = (1u << 24) - 1;  ///< the count has 24 bits

/// A hint how long a task takes, in any unit that is the same for all tasks of a batch; 0: not known.
struct task_cost {
  std::uint32_t units = 0;
  auto operator<=>(task_cost const&) const = default;
};

/// A range of blocks of a kernel, ready to be queued. Cheap to copy; holds the kernel's arguments by value.
/// The range's count is checked when the task is submitted (1 .. max_blocks_per_task).
class task {
 public:
  template <kernel_form K>
  explicit task(K const& kernel, block_range range = {}, task_cost cost = {})
      : key_(key_of<K>), range_(range), cost_(cost) {
    static_assert(sizeof(K) <= sizeof(arguments_),
                  "this kernel's arguments exceed 40 bytes: list and submit it as indirect<K>");
    std::memcpy(arguments_.data(), &kernel, sizeof(K));
  }

  kernel_key key() const { return key_; }
  block_range range() const { return range_; }
  /// Of the tasks of one batch those with the greater cost begin first. A task that is handed back has none.
  task_cost cost() const { return cost_; }
  bool is_grid() const { return is_grid_; }
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

}  // namespace ballast::inline resident

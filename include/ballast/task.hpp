// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/detail/device/kernel_traits.cuh"
#include "ballast/detail/resident/task_record.cuh"
#include "ballast/device.hpp"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/stream.hpp"
#include "ballast/version.hpp"

namespace ballast {

/// The kernel of a queue or pool: how much of a device it holds, and how long it may take to start and end.
struct resident_options {
  /// Blocks that stay on the device. A start is refused if they do not fit beside the resident kernels there.
  /// 0: each start takes all free blocks: on a GPU all but those of `spared_multiprocessors` SMs, on the host
  /// every core that is left. On a GPU at least 2: a server, if there is one, is a block that serves the
  /// others and runs no task. The server becomes a kernel of its own if that fits beside the other kernels,
  /// and then needs the capacity of an SM.
  int blocks = 0;
  /// On a GPU, the capacity in SMs that `blocks` 0 leaves to other kernels, resident or not, if 2 blocks
  /// still fit; 0 leaves none.
  int spared_multiprocessors = 8;
  /// The longest wait of a start for each of three steps: until its memory is cleared, until the workers'
  /// words are cleared, and until every block runs. Pools do not wait.
  clock::duration start_timeout = std::chrono::seconds(30);
  clock::duration stop_timeout = std::chrono::minutes(1);  ///< the wait until every block has ended
  /// The kernel ends when all blocks have been idle for this long. More than 0.
  clock::duration idle_timeout = std::chrono::minutes(30);
};

inline constexpr std::uint32_t max_blocks_per_task = (1u << 24) - 1;  ///< the count has 24 bits

/// A hint about a task's duration, in any unit that is the same for all tasks of a batch; 0: not known.
struct task_cost {
  /// Costs are only compared, so any unit will do.
  std::uint32_t units = 0;
  /// Compares the units; a task of unknown cost counts as the shortest.
  auto operator<=>(task_cost const&) const = default;
};

namespace detail {

inline constexpr std::uint32_t argument_words = 10;  ///< 40 bytes of arguments travel in a task

/// Throws bad_argument ("first").
[[noreturn]] BALLAST_API void throw_bad_first(block_range range);
/// Returns the range. Throws bad_argument ("first") if a block's index would need more than 32 bits.
inline block_range checked_range(block_range range) {
  if (range.count != 0 && range.first > 0 - range.count) throw_bad_first(range);
  return range;
}

/// A kernel's members as a task holds them. Up to 40 bytes lie in the object itself; 41 to 4000 lie in host
/// memory that all copies share, which keeps copying cheap. Immutable except for assignment; any thread may
/// copy and destroy objects that share memory.
class BALLAST_API task_arguments {
 public:
  /// Copies the members of a kernel.
  template <kernel_form K>
  explicit task_arguments(K const& kernel) {
    if constexpr (detail::is_by_reference<K>)
      share(&kernel, sizeof(K));
    else
      std::memcpy(words_.data(), &kernel, sizeof(K));
  }
  /// Takes the members of a kernel of at most 40 bytes from the beginning of `words`.
  explicit task_arguments(std::array<std::uint32_t, argument_words> const& words) : words_(words) {}
  /// Copies more than 40 bytes of members.
  explicit task_arguments(std::span<std::byte const> members) { share(members.data(), members.size()); }

  ///@{
  /// Shares members over 40 bytes, copies smaller ones.
  task_arguments(task_arguments const& other) : words_(other.words_), is_shared_(other.is_shared_) {
    if (is_shared_) add_owner();
  }
  task_arguments& operator=(task_arguments const& other) {
    if (other.is_shared_) other.add_owner();
    if (is_shared_) release();
    words_ = other.words_;
    is_shared_ = other.is_shared_;
    return *this;
  }
  ///@}
  ~task_arguments() {
    if (is_shared_) release();
  }

  /// True if the members exceed 40 bytes.
  bool is_shared() const { return is_shared_; }
  /// The 40 bytes that travel, padded with 0. For larger members they begin with the members' address.
  std::array<std::uint32_t, argument_words> const& words() const { return words_; }
  /// The members. Members that are not shared come as 40 bytes, padded with 0.
  std::span<std::byte const> bytes() const;
  /// True if the bytes are equal.
  bool operator==(task_arguments const& other) const;

 private:
  void share(void const* members, std::size_t bytes);
  void add_owner() const noexcept;
  void release() const noexcept;

  std::array<std::uint32_t, argument_words> words_{};
  bool is_shared_ = false;
};

}  // namespace detail

/// A range of blocks of a kernel, ready to be queued. Cheap to copy; holds the kernel's members. Submission
/// checks that the range's count is 1 to max_blocks_per_task.
class task {
 public:
  /// Makes a task of the blocks `range`, and copies the kernel's members. Members over 40 bytes need an
  /// allocation: if they do not change, keep the task and copy it. Throws bad_argument ("first") if a block's
  /// index would need more than 32 bits.
  template <kernel_form K>
  explicit task(K const& kernel, block_range range = {}, task_cost cost = {})
      : key_(key_of<K>), range_(detail::checked_range(range)), cost_(cost), arguments_(kernel) {
    static_assert(sizeof(K) <= detail::max_launch_bytes,
                  "this kernel's members exceed 4000 bytes: list and submit it as indirect<K>");
  }

  /// The kernel that it runs.
  kernel_key key() const { return key_; }
  /// The blocks that it runs.
  block_range range() const { return range_; }
  /// Among the tasks of one batch, those with the greater cost start first. A task that a queue returned has
  /// no cost.
  task_cost cost() const { return cost_; }
  /// True if it was made by grid_task().
  bool is_grid() const { return is_grid_; }
  /// The kernel's members.
  detail::task_arguments const& arguments() const { return arguments_; }

  /// Makes a grid task; declared below.
  friend task grid_task(task whole) {
    whole.is_grid_ = true;
    return whole;
  }

  /// Makes a task of the kernel with this key, such as another range of an existing task. `arguments` must
  /// have the kernel's number of bytes.
  task(kernel_key key, block_range range, detail::task_arguments const& arguments)
      : key_(key), range_(detail::checked_range(range)), arguments_(arguments) {}

 private:
  kernel_key key_;
  block_range range_;
  task_cost cost_;
  [[no_unique_address]] detail::task_arguments
      arguments_;  // is_grid_ lies in the unused part of its last word
  bool is_grid_ = false;
};
static_assert(sizeof(task) == 64);

/// Makes each block of `whole` a separate task, in one entry of a queue: a grid whose blocks any worker may
/// take. Blocks `first` to `first + count - 1` run in any order and concurrently; a cost applies to the
/// costliest block.
task grid_task(task whole);

namespace detail {

[[noreturn]] BALLAST_API void throw_bad_count(std::uint32_t count);

/// The task in the format in which it travels to the device. Shared members stay where they are: the sender
/// of the record copies them. Throws bad_argument ("kernel") if its kernel is not in the set, ("count") if
/// its block count is not 1 to max_blocks_per_task.
[[gnu::always_inline]] inline task_record record_of(kernel_set const& kernels, task const& task) {
  auto const range = task.range();
  if (range.count < 1 || range.count > max_blocks_per_task) throw_bad_count(range.count);
  static_assert(argument_words == 10);
  // Word by word, so that the compiler keeps the words in registers. A copy through memory that is written in
  // pieces of one size and read in another stalls until every earlier store has left the core.
  auto const& a = task.arguments().words();
  task_record record{{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], 0, 0}};
  record.describe(range, kernels.index_of(task.key()) | (task.is_grid() ? task_record::grid_bit : 0));
  return record;
}
/// The task from which a record was made, without its cost. Copies the members to which the record refers.
BALLAST_API task task_of(kernel_set const& kernels, task_record const& record);

/// The most memory that any task of the set needs for members to which its record refers; 0 if no kernel of
/// the set is listed_kernel::by_reference.
BALLAST_API std::size_t max_bytes_outside(kernel_set const& kernels);
/// The memory of the members to which the record refers, a multiple of members_alignment; 0 if it refers to
/// none.
BALLAST_API std::size_t bytes_outside(kernel_set const& kernels, task_record const& record);
/// Copies the members outside the record to `to`, which is aligned to members_alignment, and makes the record
/// refer to the copy. Returns the end of the copy.
BALLAST_API std::byte* move_members(kernel_set const& kernels, task_record& record, std::byte* to);

}  // namespace detail

/// Enqueues the task to a stream as an ordinary launch with its block count, for programs that need no queue.
/// Does not wait. Throws bad_argument ("kernel") if its kernel is not in the set, creates tasks or reduces,
/// and ("count") if its block count is not 1 to max_blocks_per_task.
BALLAST_API void launch(kernel_set const& kernels, stream& on, task const& task);

/// Writes the tasks to `into`, in place of its old content, in the format in which they travel; sorts them
/// into start_order() if any has a cost. Records of tasks with members over 40 bytes refer to the tasks' own
/// copy. Throws bad_argument ("kernel", "count") as launch().
BALLAST_API void prepare(kernel_set const& kernels, std::span<task const> tasks,
                         std::vector<detail::task_record>& into);

/// Tasks that were checked against a set and converted to the format in which they travel, for programs that
/// submit the same tasks repeatedly. Keeps members that exceed 40 bytes, which each submission copies.
/// Immutable; the set must outlive it.
class BALLAST_API prepared_tasks {
 public:
  prepared_tasks() = default;
  /// Checks, sorts and converts the tasks, as prepare(). Throws bad_argument as launch().
  prepared_tasks(kernel_set const& kernels, std::span<task const> tasks);
  /// For the library's modules: records that were prepared for the set. The caller keeps the members to which
  /// they refer.
  prepared_tasks(kernel_set const& kernels, std::vector<detail::task_record> records)
      : kernels_(&kernels), records_(std::move(records)) {}

  /// The set for which the tasks were prepared; null if default-constructed.
  kernel_set const* kernels() const { return kernels_; }
  /// The tasks in the format in which they travel, in the order in which they start.
  std::span<detail::task_record const> records() const { return records_; }
  /// True if any of the tasks is a grid task.
  bool has_grids() const;
  /// A copy in which each block of a grid task is a separate task.
  prepared_tasks expand_grids() const;

 private:
  kernel_set const* kernels_ = nullptr;
  std::vector<detail::task_record> records_;
  std::vector<detail::task_arguments> kept_;  ///< the members to which records_ refer
};

}  // namespace ballast

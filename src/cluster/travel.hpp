// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/detail/resident/task_record.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/task.hpp"
#include "published_arrays.hpp"

/// How tasks become bytes of a message and tasks again. A packed task is its record of 48 bytes. If its
/// kernel is by_reference, the kernel's members follow, padded to a multiple of 8 bytes. In either, addresses
/// are replaced by published_arrays's encoding, and addresses of results and of the members by 0. Tasks that
/// run on the rank that submitted them are not packed: their addresses are local. Numbers are little-endian.
namespace ballast::detail {

/// The alignment of a task's results, or of several tasks' side by side, where it runs.
inline constexpr std::size_t results_alignment = 16;
/// The limit for all results of a task, so that they fit into a message.
inline constexpr std::uint32_t max_result_bytes_of_task = 32768;

/// Throws bad_argument ("kernels") if a kernel of the set makes joins, whose memory belongs to one device, or
/// reduces; or if its results exceed max_result_bytes_of_task.
void check_set(kernel_set const& kernels);
/// Checks a task before it is accepted. Throws bad_argument: ("kernel") if its kernel does not declare
/// whether its members travel; ("argument") if an address is in no published array, or a result_ref is null;
/// ("count") if it has several blocks and a result.
void check_task(kernel_set const& kernels, task_record const& record, published_arrays const& published);

/// The largest packed size of a task of the set, a multiple of 8.
std::size_t max_packed_bytes(kernel_set const& kernels);
/// The packed size of this task.
std::size_t packed_bytes(kernel_set const& kernels, task_record const& record);
/// Appends a task that passed check_task() here, or one of arrived_tasks that moves on. Throws as
/// check_task() does, and then leaves `into` unchanged.
void pack(kernel_set const& kernels, task_record const& record, published_arrays const& published,
          std::vector<std::byte>& into);

/// Tasks read from a message.
class arrived_tasks {
 public:
  arrived_tasks() = default;
  /// Reads `count` tasks, which must fill the bytes. Throws error if they do not, or if a rank with the same
  /// kernels and published arrays cannot have sent them.
  arrived_tasks(kernel_set const& kernels, published_arrays const& published,
                std::span<std::byte const> bytes, std::uint32_t count);
  ///@{
  /// Not copied, since records refer to members that this object owns.
  arrived_tasks(arrived_tasks&&) = default;
  arrived_tasks& operator=(arrived_tasks&&) = default;
  ///@}

  /// The bytes that place_results() needs, a multiple of results_alignment; 0 if no task has results.
  std::size_t staging_bytes() const { return staging_bytes_; }
  /// Makes the tasks write their results to `staging`: memory of staging_bytes() that every device of the
  /// rank can write, aligned to results_alignment. Call it before submitting them, unless staging_bytes() is
  /// 0; call it again to move the results elsewhere.
  void place_results(std::byte* staging);
  /// The bytes for store_results() on the task's origin, once the task has run; empty if it has no results.
  std::span<std::byte const> results_of(std::size_t task) const;

  /// The tasks in their order. Records of kernels by_reference refer to members that this object owns.
  std::span<task_record const> records() const { return records_; }

 private:
  std::size_t read(published_arrays const& published, std::span<std::byte const> bytes);

  kernel_set const* kernels_ = nullptr;
  std::vector<task_record> records_;
  std::vector<std::byte> members_;       ///< never exceeds its reserved capacity, since records refer to it
  std::vector<std::size_t> results_at_;  ///< offsets of each task's results in the staging memory
  std::size_t staging_bytes_ = 0;
  std::byte* staging_ = nullptr;
};

/// The destination of a result on the rank that submitted its task.
struct result_home {
  void* address;
  std::uint32_t bytes;
  std::uint32_t at;  ///< its offset among the results of its task
};
/// The bytes of the task's results; 0 if it has none, or does not travel.
std::uint32_t result_bytes(kernel_set const& kernels, task_record const& record);
/// Appends the destinations of a task's results; their number depends only on the kernel. Call it before the
/// task leaves.
void append_result_homes(kernel_set const& kernels, task_record const& record,
                         std::vector<result_home>& into);
/// Stores the results of one task at these destinations. Throws error, and stores nothing, if the number of
/// bytes is not the kernel's.
void store_results(std::span<result_home const> homes, std::span<std::byte const> results);

/// Describes the set in a line for each kernel: all that ranks must agree on before tasks move between them.
std::string describe(kernel_set const& kernels);
/// The fingerprint of such a description. Different descriptions share one with a probability of 2^-64.
std::uint64_t fingerprint(std::string_view description);
/// The first kernel that differs between the descriptions of two ranks, as the value of an argument; empty if
/// none does.
std::string first_difference(std::string_view one, std::uint32_t its_rank, std::string_view other,
                             std::uint32_t others_rank);

/// The contents of a range's tasks, on the submitting rank or on the one that received them.
struct range_load {
  /// The number of the first task in its batch.
  std::uint32_t first = 0;
  prepared_tasks own;     ///< the tasks, on the rank where they were submitted
  arrived_tasks arrived;  ///< the tasks, on other ranks
  /// On the submitting rank: the destinations of all tasks' results, and for each task the index of its first
  /// one. Empty if no task has results.
  std::vector<result_home> homes;
  std::vector<std::uint32_t> homes_at;
  /// On other ranks, before execution: the memory for the tasks' results.
  std::shared_ptr<std::byte> result_part;

  std::span<task_record const> records() const {
    return own.kernels() != nullptr ? own.records() : arrived.records();
  }
  /// The records of tasks `number` to `number + count - 1` of the batch.
  std::span<task_record const> records(std::uint32_t number, std::uint32_t count) const {
    return records().subspan(number - first, count);
  }
  std::span<result_home const> homes_of(std::uint32_t number) const {
    auto const i = number - first;
    if (homes_at.empty()) return {};
    return std::span(homes).subspan(homes_at[i], homes_at[i + 1] - homes_at[i]);
  }
};

/// True if any kernel of the set declares that it creates tasks.
bool may_create_tasks(kernel_set const& kernels);
/// The load of a batch, made where the batch is submitted. Throws as prepared_tasks and check_task() do.
std::shared_ptr<range_load> load_of(kernel_set const& kernels, std::span<task const> batch,
                                    published_arrays const& published);
/// The load of tasks without results that were created on a device of this rank.
std::shared_ptr<range_load> load_of_created(kernel_set const& kernels, std::vector<task_record> records);
/// True if a created task may leave the rank: its addresses are in published arrays.
bool may_travel(kernel_set const& kernels, task_record const& record, published_arrays const& published);
/// True if the kernels of all these tasks are repeatable; if tasks of the set create tasks, all of its
/// kernels, since any may be among the created tasks.
bool are_repeatable(kernel_set const& kernels, std::span<task_record const> records);

}  // namespace ballast::detail

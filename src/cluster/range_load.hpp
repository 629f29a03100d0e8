// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ballast/task.hpp"
#include "travel.hpp"

namespace ballast::detail {

/// The tasks of a range, where they were submitted or where they have come to.
struct range_load {
  /// Number in its batch of the first of the tasks.
  std::uint32_t first = 0;
  prepared_tasks own;     ///< where they were submitted
  arrived_tasks arrived;  ///< elsewhere
  /// On the submitting rank: the places for the results of all tasks, and for each task where its own begin.
  /// Empty if no task has results.
  std::vector<result_home> homes;
  std::vector<std::uint32_t> homes_at;
  /// On other ranks, before execution: the memory for their results.
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

/// True if any kernel of the set declares it.
bool may_create_tasks(kernel_set const& kernels);
/// The load of a batch, made where the batch is submitted. Throws as prepared_tasks and check_task() do.
std::shared_ptr<range_load> load_of(kernel_set const& kernels, std::span<task const> batch,
                                    published_arrays const& published);
/// The load of tasks that were created on a device of this rank, none of which has a result.
std::shared_ptr<range_load> load_of_created(kernel_set const& kernels, std::vector<task_record> records);
/// True if a created task may leave the rank: its addresses are in published arrays.
bool may_travel(kernel_set const& kernels, task_record const& record, published_arrays const& published);
/// True if all kernels say that their tasks may be executed again; of a set whose tasks create tasks all of
/// its kernels, since any may be among what these create.
bool are_repeatable(kernel_set const& kernels, std::span<task_record const> records);

}  // namespace ballast::detail

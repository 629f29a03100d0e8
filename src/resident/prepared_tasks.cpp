// SPDX-License-Identifier: Apache-2.0
#include "ballast/task.hpp"

#include <algorithm>

#include "ballast/detail/resident/start_order.hpp"

namespace ballast {

using namespace detail;

void prepare(compiled_kernels const& kernels, std::span<task const> tasks, std::vector<task_record>& into) {
  into.clear();
  into.reserve(tasks.size());
  bool const has_costs = std::ranges::any_of(tasks, [](auto const& one) { return one.cost().units != 0; });
  if (!has_costs) {
    for (auto const& one : tasks) into.push_back(kernels.record_of(one));
    return;
  }
  for (auto const place : start_order(tasks)) into.push_back(kernels.record_of(tasks[place]));
}

prepared_tasks::prepared_tasks(compiled_kernels const& kernels, std::span<task const> tasks)
    : kernels_(&kernels) {
  prepare(kernels, tasks, records_);
}

bool prepared_tasks::has_grids() const { return std::ranges::any_of(records_, &task_record::is_grid); }

prepared_tasks prepared_tasks::expand_grids() const {
  prepared_tasks all;
  all.kernels_ = kernels_;
  std::size_t size = 0;
  for (auto const& record : records_) size += record.tasks();
  all.records_.reserve(size);
  for (auto const& record : records_) {
    if (!record.is_grid()) all.records_.push_back(record);
    for (std::uint32_t i = 0; record.is_grid() && i < record.tasks(); ++i)
      all.records_.push_back(record.task_of_block(i));
  }
  return all;
}

}  // namespace ballast

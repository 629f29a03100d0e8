// SPDX-License-Identifier: Apache-2.0
#include "ballast/task.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ballast/detail/resident/start_order.hpp"
#include "ballast/error.hpp"

namespace ballast {

using namespace detail;

compiled_kernels::compiled_kernels(std::string name, std::vector<listed_kernel> kernels,
                                   std::vector<resident_entry> entries)
    : name_(std::move(name)), kernels_(std::move(kernels)), entries_(std::move(entries)) {
  for (auto& kernel : kernels_) {
    kernel.code.name = kernel.name;
    keys_.push_back(kernel.key);
  }
  for (auto& entry : entries_) entry.code.name = name_;
}

void compiled_kernels::throw_unknown_kernel(kernel_key key) const {
  throw_bad_argument("kernel", ballast::name_of(key), "a kernel of the list " + name_);
}

void compiled_kernels::throw_bad_count(std::uint32_t count) {
  throw_bad_argument("count", count, "1 to 16777215 blocks a task");
}

task compiled_kernels::task_of(task_record const& record) const {
  std::array<std::uint32_t, argument_words> arguments;
  std::copy_n(record.data, argument_words, arguments.begin());
  task const plain(kernels_[record.kernel()].key, record.range(), arguments);
  return record.is_grid() ? grid_task(plain) : plain;
}

bool compiled_kernels::has_entry_for(source_key source) const {
  return std::ranges::find(entries_, source, &resident_entry::source) != entries_.end();
}

kernel_code const& compiled_kernels::entry_for(source_key source) const {
  for (auto const& entry : entries_)
    if (entry.source == source) return entry.code;
  throw error("kernel list " + name_ + " was compiled without this kind of task source");
}

std::uint32_t compiled_kernels::max_spawns() const {
  return std::ranges::max(kernels_, {}, &listed_kernel::spawns).spawns;
}
std::uint32_t compiled_kernels::max_joins() const {
  return std::ranges::max(kernels_, {}, &listed_kernel::joins).joins;
}
std::uint32_t compiled_kernels::workers_of_block(compute_device const& device) const {
  return device.is_cuda() ? kernels_.front().tasks_at_once : 1;
}

void compiled_kernels::launch(stream& on, task const& task) const {
  auto const record = record_of(task);
  auto const& kernel = kernels_[record.kernel()];
  if (kernel.spawns != 0)
    throw_bad_argument("kernel", kernel.name + ", which creates tasks", "one that creates none");
  if (kernel.reduces)
    throw_bad_argument("kernel", kernel.name + ", which adds to the sum of its run",
                       "one that does not: a task_pool runs it");
  on.launch(kernel.code, task.range().count, &record, sizeof record);
}

std::vector<kernel_resources> compiled_kernels::resources(compute_device& device) const {
  std::vector<kernel_resources> all;
  for (auto const& kernel : kernels_) all.push_back(device.resources(kernel.code));
  return all;
}

listed_kernel const& compiled_kernels::heaviest(compute_device& device) const {
  auto const all = resources(device);
  auto const fewest = std::min_element(all.begin(), all.end(), [](auto const& a, auto const& b) {
    return a.blocks_per_multiprocessor < b.blocks_per_multiprocessor;
  });
  return kernels_[std::size_t(fewest - all.begin())];
}

std::vector<std::size_t> detail::start_order(std::span<task const> tasks) {
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, [&](auto a, auto b) { return tasks[a].cost() > tasks[b].cost(); });
  return order;
}

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

// SPDX-License-Identifier: Apache-2.0
#include "ballast/task.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "ballast/detail/resident/start_order.hpp"
#include "ballast/error.hpp"

namespace ballast {

using namespace detail;

namespace {

/// A task_of_kernel whose type is not known here.
struct launch_argument {
  alignas(32) unsigned char bytes[64] = {};  // a kernel of 40 bytes is aligned to 8, one of 32 to 32

  launch_argument(listed_kernel const& kernel, task const& task) {
    auto const range = task.range();
    auto const range_at =
        (kernel.bytes + alignof(block_range) - 1) / alignof(block_range) * alignof(block_range);
    std::memcpy(bytes, task.arguments().data(), kernel.bytes);
    std::memcpy(bytes + range_at, &range, sizeof range);
  }
};

}  // namespace

void detail::throw_bad_count(std::uint32_t count) {
  throw_bad_argument("count", count, "1 to 16777215 blocks a task");
}

task detail::task_of(kernel_set const& kernels, task_record const& record) {
  std::array<std::uint32_t, argument_words> arguments;
  std::copy_n(record.data, argument_words, arguments.begin());
  task const plain(kernels.kernels()[record.kernel()].key, record.range(), arguments);
  return record.is_grid() ? grid_task(plain) : plain;
}

void launch(kernel_set const& kernels, stream& on, task const& task) {
  auto const blocks = task.range().count;
  if (blocks < 1 || blocks > max_blocks_per_task) throw_bad_count(blocks);
  auto const& kernel = kernels.kernels()[kernels.index_of(task.key())];
  if (kernel.bytes > task_record::argument_bytes)
    throw_bad_argument("kernel", kernel.name + " of " + std::to_string(kernel.bytes) + " bytes",
                       "one of at most 40 bytes of members");
  if (kernel.spawns != 0 || kernel.joins != 0)
    throw_bad_argument("kernel", kernel.name + ", which creates tasks", "one that creates none");
  if (kernel.reduces)
    throw_bad_argument("kernel", kernel.name + ", which adds to the sum of its run",
                       "one that does not: a task_pool runs it");
  launch_argument const argument(kernel, task);
  on.launch(kernel.code, blocks, argument.bytes, kernel.argument_bytes);
}

std::vector<std::size_t> detail::start_order(std::span<task const> tasks) {
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, [&](auto a, auto b) { return tasks[a].cost() > tasks[b].cost(); });
  return order;
}

void prepare(kernel_set const& kernels, std::span<task const> tasks, std::vector<task_record>& into) {
  into.clear();
  into.reserve(tasks.size());
  bool const has_costs = std::ranges::any_of(tasks, [](auto const& one) { return one.cost().units != 0; });
  if (!has_costs) {
    for (auto const& one : tasks) into.push_back(record_of(kernels, one));
    return;
  }
  for (auto const place : start_order(tasks)) into.push_back(record_of(kernels, tasks[place]));
}

prepared_tasks::prepared_tasks(kernel_set const& kernels, std::span<task const> tasks) : kernels_(&kernels) {
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

// SPDX-License-Identifier: Apache-2.0
#include "ballast/task.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <numeric>

#include "ballast/detail/resident/start_order.hpp"
#include "ballast/error.hpp"

namespace ballast {

using namespace detail;

namespace {

/// A task_of_kernel of a type that is unknown here.
struct launch_argument {
  alignas(64) unsigned char bytes[4096];  // no kernel is aligned to more than 64

  launch_argument(listed_kernel const& kernel, task const& task) {
    auto const range = task.range();
    auto const range_at =
        (kernel.bytes + alignof(block_range) - 1) / alignof(block_range) * alignof(block_range);
    std::memset(bytes, 0, kernel.argument_bytes);
    std::memcpy(bytes, task.arguments().bytes().data(), kernel.bytes);
    std::memcpy(bytes + range_at, &range, sizeof range);
  }
};
static_assert(max_launch_bytes + sizeof(block_range) + 64 <= sizeof(launch_argument::bytes));

/// The header before members that tasks share.
struct shared_members {
  std::atomic<std::uint32_t> owners{1};
  std::uint32_t bytes;
};

shared_members* header_of(std::array<std::uint32_t, argument_words> const& words) {
  void* members;
  std::memcpy(&members, words.data(), sizeof members);
  return static_cast<shared_members*>(members) - 1;
}

std::size_t bytes_outside(listed_kernel const& kernel) {
  return kernel.by_reference ? members_stride(kernel.bytes) : 0;
}

}  // namespace

void task_arguments::share(void const* members, std::size_t bytes) {
  auto* const header =
      new (::operator new(sizeof(shared_members) + bytes)) shared_members{1, std::uint32_t(bytes)};
  void* const kept = header + 1;
  std::memcpy(kept, members, bytes);
  std::memcpy(words_.data(), &kept, sizeof kept);
  is_shared_ = true;
}

void task_arguments::add_owner() const noexcept {
  header_of(words_)->owners.fetch_add(1, std::memory_order_relaxed);
}

void task_arguments::release() const noexcept {
  auto* const header = header_of(words_);
  if (header->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) ::operator delete(header);
}

std::span<std::byte const> task_arguments::bytes() const {
  if (!is_shared_) return std::as_bytes(std::span(words_));
  auto const* const header = header_of(words_);
  return {reinterpret_cast<std::byte const*>(header + 1), header->bytes};
}

bool task_arguments::operator==(task_arguments const& other) const {
  return std::ranges::equal(bytes(), other.bytes());
}

void detail::throw_bad_count(std::uint32_t count) {
  throw_bad_argument("count", count, "1 to 16777215 blocks a task");
}

void detail::throw_bad_first(block_range range) {
  throw_bad_argument("first", range.first, "0 to 2^32 less the count, " + std::to_string(range.count));
}

task detail::task_of(kernel_set const& kernels, task_record const& record) {
  auto const& kernel = kernels.kernels()[record.kernel()];
  auto const arguments = [&] {
    if (kernel.by_reference)
      return task_arguments(std::span(static_cast<std::byte const*>(record.members()), kernel.bytes));
    std::array<std::uint32_t, argument_words> words;
    std::copy_n(record.data, argument_words, words.begin());
    return task_arguments(words);
  };
  task const plain(kernel.key, record.range(), arguments());
  return record.is_grid() ? grid_task(plain) : plain;
}

std::size_t detail::max_bytes_outside(kernel_set const& kernels) {
  std::size_t largest = 0;
  for (auto const& kernel : kernels.kernels()) largest = std::max(largest, ballast::bytes_outside(kernel));
  return largest;
}

std::size_t detail::bytes_outside(kernel_set const& kernels, task_record const& record) {
  return record.is_graph() ? 0 : ballast::bytes_outside(kernels.kernels()[record.kernel()]);
}

std::byte* detail::move_members(kernel_set const& kernels, task_record& record, std::byte* to) {
  if (bytes_outside(kernels, record) == 0) return to;
  auto const& kernel = kernels.kernels()[record.kernel()];
  std::memcpy(to, record.members(), kernel.bytes);
  record.point_to(to);
  return to + members_stride(kernel.bytes);
}

void launch(kernel_set const& kernels, stream& on, task const& task) {
  auto const blocks = task.range().count;
  if (blocks < 1 || blocks > max_blocks_per_task) throw_bad_count(blocks);
  auto const& kernel = kernels.kernels()[kernels.index_of(task.key())];
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
  for (auto const& one : tasks)
    if (one.arguments().is_shared()) kept_.push_back(one.arguments());
}

bool prepared_tasks::has_grids() const { return std::ranges::any_of(records_, &task_record::is_grid); }

prepared_tasks prepared_tasks::expand_grids() const {
  prepared_tasks all;
  all.kernels_ = kernels_;
  all.kept_ = kept_;
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/detail/resident/worker_group.cuh"

namespace ballast::test {
using namespace detail;

/// A task of one block that a test knows again by its number.
inline stored_task task_with(std::uint32_t number) {
  stored_task task{};
  task.record.data[0] = number;
  task.record.describe({0, 1}, 0);
  return task;
}

/// Workers of a pool on cores that do nothing by themselves: a test takes single steps for them, so that it
/// knows what each has. Each has a stack of eight.
class stepped_workers {
 public:
  static constexpr std::uint32_t stack_capacity = 8;

  explicit stepped_workers(std::uint32_t workers) : stacks_(workers * stack_capacity), all_(workers) {
    view.words = &words_;
    view.stacks = stacks_.data();
    view.stack_capacity = stack_capacity;
    view.workers = workers;
    for (std::uint32_t i = 0; i < workers; ++i) {
      all_[i].number = i;
      all_[i].random = i + 1;
    }
  }
  stepped_workers(stepped_workers const&) = delete;
  stepped_workers& operator=(stepped_workers const&) = delete;

  pool_worker& operator[](std::uint32_t worker) { return all_[worker]; }
  /// As tasks do that ran there.
  void create(std::uint32_t worker, std::vector<std::uint32_t> const& numbers) {
    auto& me = all_[worker];
    for (auto const number : numbers) view.stack_of(worker)[me.end++] = task_with(number);
    me.delta += std::uint32_t(numbers.size());
    me.stack_changed = 1;
  }
  std::vector<std::uint32_t> in_hand_of(std::uint32_t worker) const {
    std::vector<std::uint32_t> numbers;
    for (auto place = all_[worker].begin; place != all_[worker].end; ++place)
      numbers.push_back(view.stack_of(worker)[place].record.data[0]);
    return numbers;
  }

  pool_view view;
  host_block_context context;
  host_worker worker_group{context};

 private:
  pool_words words_{};
  std::vector<stored_task> stacks_;
  std::vector<pool_worker> all_;
};

}  // namespace ballast::test

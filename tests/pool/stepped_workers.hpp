// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ballast/pool/pool_view.cuh"
#include "ballast/resident/crew.cuh"

namespace ballast::test {

/// A task of one block that a test knows again by its number.
inline stored_task task_with(std::uint32_t number) {
  stored_task task{};
  task.record.data[0] = number;
  task.record.describe({0, 1}, 0);
  return task;
}

/// Workers of a pool on cores that do nothing by themselves: a test takes single steps for them, so that it
/// knows what each has. Each has a hand of eight.
class stepped_workers {
 public:
  static constexpr std::uint32_t hand_capacity = 8;

  explicit stepped_workers(std::uint32_t workers) : hands_(workers * hand_capacity), all_(workers) {
    view.words = &words_;
    view.hands = hands_.data();
    view.hand_capacity = hand_capacity;
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
    for (auto const number : numbers) view.hand_of(worker)[me.end++] = task_with(number);
    me.delta += std::uint32_t(numbers.size());
    me.has_news = 1;
  }
  std::vector<std::uint32_t> in_hand_of(std::uint32_t worker) const {
    std::vector<std::uint32_t> numbers;
    for (auto place = all_[worker].begin; place != all_[worker].end; ++place)
      numbers.push_back(view.hand_of(worker)[place].record.data[0]);
    return numbers;
  }

  pool_view view;
  host_lane lane;
  solo_crew crew{lane};

 private:
  pool_words words_{};
  std::vector<stored_task> hands_;
  std::vector<pool_worker> all_;
};

}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fixture.hpp"

namespace ballast::test {

/// A chain of steps over a ring of words, each of a task for every word.
class row_chain {
 public:
  explicit row_chain(std::uint32_t words)
      : words_(words), rows_{{first_device(), words}, {first_device(), words}} {}

  /// Submits steps, each after the one before.
  completion submit(task_queue& queue, std::uint32_t steps) {
    return submit_each(queue, steps, &row_chain::step);
  }
  completion submit_grids(task_queue& queue, std::uint32_t steps) {
    return submit_each(queue, steps, &row_chain::grid_step);
  }
  void begin_after(completion const& first) { last_ = first; }

  /// Whether each step saw all of the one before.
  bool is_right() const {
    return std::ranges::all_of(rows_[submitted_ % 2].read(), [&](auto word) { return word == submitted_; });
  }

 private:
  template <class Step>
  completion submit_each(task_queue& queue, std::uint32_t steps, Step step) {
    for (std::uint32_t i = 0; i < steps; ++i)
      last_ = queue.submit((this->*step)(submitted_++), {.after = last_});
    return last_;
  }
  std::vector<task> step(std::uint32_t number) const {
    std::vector<task> tasks;
    for (std::uint32_t i = 0; i < words_; ++i) tasks.emplace_back(kernel(number), block_range{i, 1});
    return tasks;
  }
  task grid_step(std::uint32_t number) const { return grid_task(task(kernel(number), {0, words_})); }
  advance_word kernel(std::uint32_t number) const {
    return {rows_[number % 2].ref(), rows_[(number + 1) % 2].ref(), words_};
  }

  std::uint32_t words_;
  counted_words rows_[2];
  std::uint32_t submitted_ = 0;
  completion last_;
};

}  // namespace ballast::test

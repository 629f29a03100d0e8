// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/start_threads.hpp"

namespace ballast {

/// A block of `Threads` real host threads with a barrier, for tests: under ThreadSanitizer it reveals a
/// missing sync(), which a block of one host thread hides.
template <class K, std::uint32_t Threads>
class team_block {
 public:
  /// Known when compiled, for what must differ between one thread and several.
  static constexpr std::uint32_t threads = Threads;

  /// One thread of the team: `rank` from 0 to Threads - 1. All of a team share `scratch` and `barrier`.
  team_block(block_range range, scratch_of<K>& scratch, std::barrier<>& barrier, std::uint32_t rank)
      : range_(range), scratch_(&scratch), barrier_(&barrier), rank_(rank) {}

  ///@{
  /// As the concept block says; every thread of the team has a view of its own.
  std::uint32_t index() const { return index_; }
  std::uint32_t first() const { return range_.first; }
  std::uint32_t count() const { return range_.count; }
  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return Threads; }
  std::uint32_t worker() const { return 0; }
  std::uint32_t workers() const { return 1; }
  void sync() const { barrier_->arrive_and_wait(); }
  template <class F>
  void for_each(std::uint32_t n, F&& f) const {
    for (std::uint32_t i = rank_; i < n; i += Threads) f(i);
  }
  template <std::uint32_t N, class F>
  void for_each(item_count<N>, F&& f) const {
    for_each(N, f);
  }
  template <class F>
  void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
    for (std::uint32_t i = rank_; i < rows * columns; i += Threads) f(i / columns, i % columns);
  }
  scratch_of<K>& scratch() const { return *scratch_; }
  ///@}

  /// For whoever runs the blocks of a range one after another.
  void move_to(std::uint32_t index) { index_ = index; }

 private:
  block_range range_;
  std::uint32_t index_ = 0;
  scratch_of<K>* scratch_;
  std::barrier<>* barrier_;
  std::uint32_t rank_;
};

/// Runs the blocks of `range` one after another on a team of `Threads` threads; waits until all have run.
/// Throws error if not all threads can be started.
template <std::uint32_t Threads, kernel_form K>
void run_with_team(K const& kernel, block_range range) {
  scratch_of<K> scratch{};
  std::barrier<> barrier(Threads);
  auto const member = [&](std::uint32_t rank) {
    team_block<K, Threads> block(range, scratch, barrier, rank);
    for (std::uint32_t i = 0; i < range.count; ++i) {
      block.move_to(range.first + i);
      kernel(block);
      block.sync();
    }
  };
  start_threads(Threads, [&](std::size_t rank) { member(std::uint32_t(rank)); }).clear();
}

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/start_threads.hpp"

namespace ballast {

namespace detail {

/// State that the threads of a team share, besides the scratch.
template <std::uint32_t Threads>
struct team_meeting {
  /// Where sync() waits.
  std::barrier<> barrier{Threads};
  /// The values that each thread brings to reduce() or scan().
  void const* brought[Threads] = {};
};

}  // namespace detail

/// A block of `Threads` real host threads with a barrier, for tests: under ThreadSanitizer it reveals a
/// missing sync(), which a block of one host thread hides.
template <class K, std::uint32_t Threads>
class team_block {
 public:
  /// A compile-time constant, for code that differs between one thread and several.
  static constexpr std::uint32_t threads = Threads;

  /// Makes thread `rank` (0 to Threads - 1) of the team, which shares `scratch` and `meeting`.
  team_block(block_range range, scratch_of<K>& scratch, detail::team_meeting<Threads>& meeting,
             std::uint32_t rank)
      : range_(range), scratch_(&scratch), meeting_(&meeting), rank_(rank) {}

  ///@{
  /// As in the concept block; every thread of the team has a view of its own.
  std::uint32_t index() const { return index_; }
  std::uint32_t first() const { return range_.first; }
  std::uint32_t count() const { return range_.count; }
  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return Threads; }
  std::uint32_t worker() const { return 0; }
  std::uint32_t workers() const { return 1; }
  void sync() const { meeting_->barrier.arrive_and_wait(); }
  template <class F>
  void for_each(std::uint32_t n, F&& f) const {
    detail::check_items<F>(n);
    for (std::uint32_t i = rank_; i < n; i += Threads) f(i);
  }
  template <std::uint32_t N, class F>
  void for_each(detail::item_count<N>, F&& f) const {
    for_each(N, f);
  }
  template <class F>
  void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
    detail::check_items<F>(std::uint64_t(rows) * columns);
    for (std::uint32_t i = rank_; i < rows * columns; i += Threads) f(i / columns, i % columns);
  }
  template <class T, class F, class Op = plus>
  T reduce(std::uint32_t n, T initial, F&& f, Op op = {}) const {
    for_each_chunk<T>(n, f, [&](std::uint32_t, T* values, std::uint32_t count) {
      initial = static_cast<T>(op(initial, detail::reduce_chunk(values, count, op)));
    });
    return initial;
  }
  template <class T, class F, class Op, class Put>
  T scan(std::uint32_t n, T initial, F&& f, Op op, Put&& put) const {
    for_each_chunk<T>(n, f, [&](std::uint32_t first, T* values, std::uint32_t count) {
      detail::scan_chunk(values, count, op);
      for (std::uint32_t i = 0; i < count; ++i)
        if ((first + i) % Threads == rank_)
          put(first + i, i == 0 ? initial : static_cast<T>(op(initial, values[i - 1])));
      initial = static_cast<T>(op(initial, values[count - 1]));
    });
    return initial;
  }
  auto warp() const { return detail::lone_warp(rank_); }
  std::uint32_t warps() const { return Threads; }
  scratch_of<K>& scratch() const { return *scratch_; }
  ///@}

  /// Moves to block `index` of a range whose blocks run one after another.
  void move_to(std::uint32_t index) { index_ = index; }

 private:
  /// Makes every thread call use(first item, values, count) for each chunk, with its own copy of the values.
  template <class T, class F, class Use>
  void for_each_chunk(std::uint32_t n, F& f, Use const& use) const {
    detail::check_reduction<T, F>(n);
    constexpr std::uint32_t round = detail::chunk_items * Threads;
    T mine[detail::chunk_items], values[detail::chunk_items];
    for (std::uint32_t start = 0, end = 0; start < n; start = end) {
      end = n - start < round ? n : start + round;
      for (std::uint32_t i = start + rank_; i < end; i += Threads)
        mine[(i - start) / Threads] = static_cast<T>(f(i));
      meeting_->brought[rank_] = mine;
      sync();
      for (std::uint32_t first = start; first < end; first += detail::chunk_items) {
        auto const count = detail::chunk_count(end, first);
        for (std::uint32_t i = 0; i < count; ++i) values[i] = brought<T>(first + i - start);
        use(first, values, count);
      }
      sync();
    }
  }
  template <class T>
  T brought(std::uint32_t of_round) const {
    return static_cast<T const*>(meeting_->brought[of_round % Threads])[of_round / Threads];
  }

  block_range range_;
  std::uint32_t index_ = 0;
  scratch_of<K>* scratch_;
  detail::team_meeting<Threads>* meeting_;
  std::uint32_t rank_;
};

/// Runs the blocks of `range` one after another on a team of `Threads` threads; waits until all have run.
/// Throws error if not all threads can be started.
template <std::uint32_t Threads, kernel_form K>
void run_with_team(K const& kernel, block_range range) {
  scratch_of<K> scratch{};
  detail::team_meeting<Threads> meeting;
  auto const member = [&](std::uint32_t rank) {
    team_block<K, Threads> block(range, scratch, meeting, rank);
    for (std::uint32_t i = 0; i < range.count; ++i) {
      block.move_to(range.first + i);
      detail::call_kernel(kernel, block);
      block.sync();
    }
  };
  start_threads(
      Threads, [&](std::size_t rank) { member(std::uint32_t(rank)); }, "ballast-team")
      .clear();
}

}  // namespace ballast

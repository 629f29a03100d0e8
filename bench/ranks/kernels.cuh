// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ballast/array_view.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/result_ref.cuh"

namespace ballast::bench {

/// The clock that kernels on cores read.
std::uint64_t now_ns();
/// The times of the last gift of tasks to this process: when the question that it answers left, and when it
/// arrived.
struct gift_times {
  std::atomic<std::uint64_t> asked_ns = 0, came_ns = 0;
};
gift_times& last_gift();

struct nothing {
  static constexpr int threads = 32;
  static constexpr bool travels_by_value = true;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

/// An empty kernel with `Bytes` bytes to carry.
template <std::size_t Bytes>
struct luggage {
  static constexpr int threads = 32;
  static constexpr bool travels_by_value = true;
  std::uint64_t words[Bytes / 8] = {};

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

/// Sleeps, so that ranks which share cores do not take them from each other.
struct nap {
  static constexpr int threads = 32;
  std::uint64_t ns;
  result_ref<std::uint64_t> took_ns;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(took_ns);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const;
};

/// Occupies a worker of the submitting rank until it is released, or at most for a minute. Its `state` is
/// `is_there` at first, which it is on no other rank, and shows that the task has begun.
struct hold {
  enum : std::uint64_t { is_there = 1, has_begun, may_end };
  static constexpr int threads = 32;
  result_ref<std::uint64_t> state;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(state);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const;
};

/// The times from when the question that brought a task left, and from when its answer arrived, until the
/// task began.
struct gift_ages {
  std::uint64_t asked_ns = 0, came_ns = 0;
};
/// A task that records its gift's ages, on cores alone.
struct asked_for {
  static constexpr int threads = 32;
  result_ref<gift_ages> ages;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(ages);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const;
};

struct slept_cell {
  std::uint64_t ns, steps;
};
/// A block sleeps, and adds the time to its cell; the cell is then one step ahead of its neighbours.
struct nap_in_line {
  static constexpr int threads = 32;
  array_ref<slept_cell const> now;
  array_ref<slept_cell> next;
  std::uint32_t cells;
  std::uint64_t ns;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const;
};

/// A block numbers the words of its row.
struct number_row {
  static constexpr int threads = 128;
  static constexpr std::uint32_t words = 512;
  array_ref<std::uint64_t> to;
  std::uint64_t first;  ///< of the first word of the first row

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const begin = std::uint64_t(block.index()) * words;
    block.for_each(words, [&](std::uint32_t i) { to[begin + i] = first + begin + i; });
  }
};

kernel_set const& rank_kernels();
/// luggage<4000> and hold.
kernel_set const& large_kernels();
/// nap_in_line.
kernel_set const& line_kernels();
/// number_row.
kernel_set const& row_kernels();
/// test::uts_node.
kernel_set const& tree_kernels();

}  // namespace ballast::bench

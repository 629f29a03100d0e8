// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ballast/atomic_ref.cuh>
#include <ballast/kernel.cuh>
#include <ballast/kernel_set.hpp>

/// A point of the unit square as the state of a random number generator: two times 24 bits of it.
BALLAST_HD inline std::uint64_t moved(std::uint64_t point) {
  return point * 6364136223846793005u + 1442695040888963407u;
}
BALLAST_HD inline bool is_hit(std::uint64_t point) {  // of the circle around a corner
  std::uint64_t const x = point >> 40, y = point >> 16 & 0xffffff;
  return x * x + y * y < 1ull << 48;
}

/// Each block moves its points on.
struct move_points {
  static constexpr int threads = 128;
  ballast::array_ref<std::uint64_t> points;  // the members are the kernel's arguments

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const mine = points.from(std::size_t{block.index()} * threads);
    block.for_each(threads, [&](std::uint32_t i) { mine[i] = moved(mine[i]); });
  }
};

/// Each block counts its points in the circle. Its blocks have as many threads as those of move_points, so
/// that both kernels may share a launch.
struct count_hits {
  static constexpr int threads = 128;
  ballast::array_ref<std::uint64_t> points;
  ballast::array_ref<std::uint32_t> hits;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const mine = points.from(std::size_t{block.index()} * threads);
    block.for_each(threads, [&](std::uint32_t i) {
      if (is_hit(mine[i])) ballast::device_atomic<std::uint32_t>(hits[0]).add_relaxed(1);
    });
  }
};

ballast::kernel_set const& kernels();

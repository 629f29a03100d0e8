// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::bench {

/// Rows of a lower triangular matrix that need no result of each other, a thread for each. A row has at most
/// three factors, then its diagonal.
struct rows_of_level {
  static constexpr int threads = 128;
  static constexpr std::uint32_t most = 3;
  struct scratch {
    std::uint32_t count[threads], column[most][threads];
    double factor[most][threads], diagonal[threads], value[threads];
  };
  array_ref<std::uint32_t const> begin_of, column;
  array_ref<double const> factor, b;
  array_ref<double> x;
  std::uint32_t first, end;

  /// Reads all but x.
  template <class Block>
  BALLAST_HD void read(Block& block) const {
    auto& all = block.scratch();
    block.for_each(items<threads>, [&](std::uint32_t i) {
      auto const row = first + block.index() * threads + i;
      if (row >= end) return;
      auto const begin = begin_of[row], count = begin_of[row + 1] - begin - 1;
      all.count[i] = count;
      for (std::uint32_t at = 0; at < most; ++at)
        if (at < count) all.column[at][i] = column[begin + at], all.factor[at][i] = factor[begin + at];
      all.diagonal[i] = factor[begin + count];
      all.value[i] = b[row];
    });
  }
  template <class Block>
  BALLAST_HD void solve(Block& block) const {
    auto const& all = block.scratch();
    block.for_each(items<threads>, [&](std::uint32_t i) {
      auto const row = first + block.index() * threads + i;
      if (row >= end) return;
      double of_earlier[most];
      for (std::uint32_t at = 0; at < most; ++at)
        if (at < all.count[i]) of_earlier[at] = x[all.column[at][i]];
      auto value = all.value[i];
      for (std::uint32_t at = 0; at < most; ++at)
        if (at < all.count[i]) value -= all.factor[at][i] * of_earlier[at];
      x[row] = value / all.diagonal[i];
    });
  }
};

struct solve_at_once : rows_of_level {
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    read(block);
    solve(block);
  }
};

/// What no level writes is read while the previous level still runs.
struct solve_prepared : rows_of_level {
  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    read(block);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    solve(block);
  }
};

/// For jobs.
kernel_set const& solve_kernels();

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ballast/device/array_ref.cuh"
#include "ballast/device/block.cuh"
#include "class.hpp"
#include "random_numbers.cuh"

namespace ballast::ep {

/// Pairs of normal deviates by Marsaglia's polar method, as the benchmark has it: a thread draws a batch of
/// pairs and stores their sums and counts once. Block i has the batches from i * threads on.
struct gaussian_pairs {
  static constexpr int threads = 128;

  /// A column for each thread, in memory because the annulus is known only when it is hit.
  struct scratch {
    std::uint32_t counts[annuli][threads];
  };

  array_ref<double> sx, sy;         ///< by batch
  array_ref<std::uint32_t> counts;  ///< annuli of a batch after each other
  std::uint32_t batches = 0, pairs_of_each = 0;

  BALLAST_HD static constexpr std::uint32_t blocks_for(std::uint32_t batches) {
    return batches / threads + (batches % threads != 0);
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t const first = block.index() * threads;
    std::uint32_t const left = batches - first;
    block.for_each(left < threads ? left : threads,
                   [&](std::uint32_t i) { run_batch(block.scratch(), i, first + i); });
  }

 private:
  BALLAST_HD void run_batch(scratch& memory, std::uint32_t column, std::uint32_t batch) const {
    double sum_x = 0, sum_y = 0;
    for (auto& annulus : memory.counts) annulus[column] = 0;
    auto numbers = random_numbers::from(std::uint64_t{2} * pairs_of_each * batch);
    for (std::uint32_t pair = 0; pair < pairs_of_each; ++pair) {
      double const x = 2 * numbers.next() - 1, y = 2 * numbers.next() - 1;
      double const t = x * x + y * y;
      if (t > 1) continue;
      double const factor = sqrt(-2 * log(t) / t);
      double const normal_x = x * factor, normal_y = y * factor;
      ++memory.counts[static_cast<std::uint32_t>(fmax(fabs(normal_x), fabs(normal_y)))][column];
      sum_x += normal_x;
      sum_y += normal_y;
    }
    sx[batch] = sum_x;
    sy[batch] = sum_y;
    for (std::uint32_t l = 0; l < annuli; ++l)
      counts[std::size_t(batch) * annuli + l] = memory.counts[l][column];
  }
};

}  // namespace ballast::ep

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ballast/kernel.cuh"
#include "class.hpp"

namespace ballast::ep {

/// The benchmark's linear congruential generator (Bailey et al., NAS Technical Report RNR-94-007): s(k + 1) =
/// 5^13 s(k) modulo 2^46, s(0) = 271828183, and the random number s(k) 2^-46. Computed in integers: the
/// product wraps modulo 2^64, a multiple of 2^46, so it is exact.
class random_numbers {
 public:
  static constexpr std::uint64_t seed = 271828183, multiplier = 1220703125;

  /// A generator whose next number is s(after + 1).
  BALLAST_HD static random_numbers from(std::uint64_t after) {
    std::uint64_t state = seed, power = multiplier;
    for (; after != 0; after /= 2, power = modulo(power * power))
      if (after % 2 != 0) state = modulo(state * power);
    return random_numbers(state);
  }

  /// The next number, above 0 and below 1.
  BALLAST_HD double next() {
    state_ = modulo(state_ * multiplier);
    return static_cast<double>(state_) * 0x1p-46;
  }

 private:
  BALLAST_HD explicit random_numbers(std::uint64_t state) : state_(state) {}
  BALLAST_HD static std::uint64_t modulo(std::uint64_t number) {
    return number & ((std::uint64_t{1} << 46) - 1);
  }

  std::uint64_t state_;
};

/// Pairs of normal deviates by Marsaglia's polar method, as in the benchmark: a thread draws a batch of
/// pairs, and a block adds up the results of its batches in their order. Block i has the batches from i *
/// threads on.
struct gaussian_pairs {
  static constexpr int threads = 128;

  /// A column for each thread, in memory because the annulus is known only when it is hit.
  struct scratch {
    double sx[threads], sy[threads];
    std::uint32_t counts[annuli][threads];
  };

  array_ref<double> sx, sy;         ///< by block
  array_ref<std::uint32_t> counts;  ///< the annuli of a block are consecutive
  std::uint32_t batches = 0, pairs_of_each = 0;

  BALLAST_HD static constexpr std::uint32_t blocks_for(std::uint32_t batches) {
    return batches / threads + (batches % threads != 0);
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t const first = block.index() * threads;
    std::uint32_t const left = batches - first, columns = left < threads ? left : threads;
    block.for_each(columns, [&](std::uint32_t i) { run_batch(block.scratch(), i, first + i); });
    block.sync();
    block.for_each(items<annuli + 2>,
                   [&](std::uint32_t row) { store_sum(block.scratch(), row, columns, block.index()); });
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
    memory.sx[column] = sum_x;
    memory.sy[column] = sum_y;
  }

  BALLAST_HD void store_sum(scratch const& memory, std::uint32_t row, std::uint32_t columns,
                            std::uint32_t to) const {
    if (row < annuli) counts[std::size_t(to) * annuli + row] = sum_of(memory.counts[row], columns);
    if (row == annuli) sx[to] = sum_of(memory.sx, columns);
    if (row == annuli + 1) sy[to] = sum_of(memory.sy, columns);
  }

  template <class T>
  BALLAST_HD static T sum_of(T const* values, std::uint32_t count) {
    T sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) sum += values[i];
    return sum;
  }
};

}  // namespace ballast::ep

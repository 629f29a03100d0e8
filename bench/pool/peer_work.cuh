// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"

// The work of tasks that run both in a pool and by another library: the same code for both.

namespace ballast::bench {

/// A sum to whose parts tasks add in different words, so that they seldom contend. Wraps.
struct spread_sum {
  static constexpr std::uint32_t words = 1024;
  array_ref<std::uint64_t> parts;

  BALLAST_HD void add(std::uint64_t key, std::uint64_t value) const {
    device_atomic<std::uint64_t>(parts[key % words]).add_relaxed(value);
  }
};

/// Fibonacci's number by as many steps as the recursive program has calls.
BALLAST_HD inline std::uint64_t fibonacci_by_calls(std::uint32_t n) {
  constexpr std::uint32_t most = 48;
  std::uint32_t waiting[most], count = 0;
  for (std::uint64_t sum = 0;; n = waiting[--count]) {
    for (; n >= 2; --n) waiting[count++] = n - 2;
    sum += n;
    if (count == 0) return sum;
  }
}

/// Queens on the first rows of a board: the columns that they attack in the next row, a bit for each.
struct queens_place {
  std::uint32_t columns = 0, left = 0, right = 0;

  BALLAST_HD std::uint32_t free(std::uint32_t n) const { return ~(columns | left | right) & ((1u << n) - 1); }
  BALLAST_HD queens_place with(std::uint32_t queen) const {
    return {columns | queen, (left | queen) << 1, (right | queen) >> 1};
  }
  BALLAST_HD std::uint64_t key() const { return columns ^ left << 3 ^ right << 5; }
};

inline constexpr std::uint32_t max_queens = 16;
BALLAST_HD constexpr std::uint32_t lowest_bit(std::uint32_t bits) { return bits & (~bits + 1); }

/// The number of ways to put queens on the rest of the n rows, 1 to max_queens; at least one row is left.
BALLAST_HD inline std::uint64_t solutions_below(queens_place at, std::uint32_t n) {
  queens_place places[max_queens];
  std::uint32_t left[max_queens], depth = 0;
  std::uint64_t found = 0;
  std::uint32_t const full = (1u << n) - 1;
  left[0] = at.free(n);
  places[0] = at;
  while (true) {
    if (left[depth] == 0) {
      if (depth-- == 0) return found;
      continue;
    }
    std::uint32_t const queen = lowest_bit(left[depth]);
    left[depth] ^= queen;
    auto const next = places[depth].with(queen);
    if (next.columns == full) {
      ++found;
      continue;
    }
    places[++depth] = next;
    left[depth] = next.free(n);
  }
}

/// A node of the unbalanced tree in docs/results/task-pool.md.
struct formula_node {
  static constexpr std::uint32_t children = 8, turns = 64;
  std::uint64_t number = 1;
  std::uint32_t depth = 0;

  /// The output function of SplitMix64.
  BALLAST_HD static constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
  /// True if the node has children, as every node above depth `bushy` has.
  BALLAST_HD bool has_children(std::uint32_t bushy) const {
    return depth < bushy || mix(number) % 1000 < 123;
  }
  BALLAST_HD formula_node child(std::uint32_t i) const { return {mix(8 * number + i + 1), depth + 1}; }
  BALLAST_HD std::uint64_t work() const {
    std::uint64_t value = number;
    for (std::uint32_t turn = 0; turn < turns; ++turn) value = mix(value);
    return value;
  }
  /// True if the result is to be summed. Only a few are: otherwise the cores would wait for each other's
  /// words.
  BALLAST_HD static constexpr bool counts(std::uint64_t result) { return result % 16 == 0; }
  BALLAST_HD void work_for(spread_sum const& sum) const {
    if (std::uint64_t const result = work(); counts(result)) sum.add(number, result);
  }
};

}  // namespace ballast::bench

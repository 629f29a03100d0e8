// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ballast/kernel.cuh>
#include <ballast/task.hpp>

/// Numbers `first` .. `first + count - 1`: what somebody asked for. Nobody knows how long an answer takes.
struct request {
  std::uint32_t first, count;
};

BALLAST_HD inline std::uint32_t collatz_steps(std::uint64_t n) {
  std::uint32_t steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

/// Answers a request by one block: the sum of its numbers' Collatz steps.
struct sum_steps {
  static constexpr int threads = 256;
  struct scratch {
    std::uint64_t parts[threads];
  };
  request asked;
  ballast::array_ref<std::uint64_t> answer;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint64_t part = 0;  // of this thread
    block.for_each(asked.count, [&](std::uint32_t i) { part += collatz_steps(asked.first + i); });
    auto& parts = block.scratch().parts;
    parts[block.rank()] = part;
    block.sync();
    if (block.rank() != 0) return;
    std::uint64_t sum = 0;
    for (std::uint32_t thread = 0; thread < block.size(); ++thread) sum += parts[thread];
    answer[0] = sum;
  }
};

ballast::kernel_set const& kernels();

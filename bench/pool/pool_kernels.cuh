// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/join.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"

namespace ballast::bench {

/// The receiver of a number: a join, or else the word `answer`.
struct number_reader {
  array_ref<std::uint64_t> answer;
  join_handle parent;

  template <class Block>
  BALLAST_HD void deliver(Block& block, std::uint64_t number) const {
    if (!parent) {
      answer[0] = number;
      return;
    }
    block.value_of(parent).add_relaxed(number);
    block.finish(parent);
  }
};

struct fibonacci_sum {
  static constexpr int threads = 1;
  static constexpr std::uint32_t spawns = 1;
  number_reader reader;
  join_handle join;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    reader.deliver(block, block.take_value(join));
  }
};

struct fibonacci_call {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = 2, joins = 1;
  number_reader reader;
  std::uint32_t n;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (n < 2) return reader.deliver(block, n);
    auto const join = block.fork(fibonacci_sum{reader, {}}, 2);
    block.spawn(fibonacci_call{{{}, join}, n - 1});
    block.spawn(fibonacci_call{{{}, join}, n - 2});
  }
};

/// Halves its range of numbers until one is left, whose task makes `turns` dependent multiply-adds, or
/// `turns_of_first` for number 0. Each number adds one to the pool's sum.
struct range_task {
  static constexpr int threads = 1, blocks_per_multiprocessor = 32;
  static constexpr std::uint32_t spawns = 2;
  static constexpr bool reduces = true;
  std::uint32_t first, count;  ///< at least one
  std::uint32_t turns, turns_of_first;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (count == 1) return block.add_to_sum(computed() == 0 ? 2 : 1);  // no number below 2^20 gives 0
    auto const half = count / 2;
    block.spawn(range_task{first, half, turns, turns_of_first});
    block.spawn(range_task{first + half, count - half, turns, turns_of_first});
  }

 private:
  BALLAST_HD std::uint32_t computed() const {
    std::uint32_t value = first + 1;
    for (std::uint32_t i = first == 0 ? turns_of_first : turns; i > 0; --i)
      value = value * 1664525u + 1013904223u;
    return value;
  }
};

/// The inputs of the tree's tasks.
struct tree_data {
  static constexpr std::uint32_t words = 1u << 20;
  array_ref<double const> values;
  array_ref<std::uint32_t const> places;
};

/// A node of a binary tree of `nodes`: 64 loads from random places and 1024 times two dependent
/// multiply-adds, spread over the threads, each summed over the block.
template <int Threads>
struct loaded_node {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 2, loads = 64, turns = 1024;
  struct scratch {
    double parts[Threads];
  };
  tree_data data;
  array_ref<double> sums;  ///< one for each of 1024 places, by node
  std::uint32_t node, nodes;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(2, [&](std::uint32_t i) {
      if (std::uint32_t const child = 2 * node + 1 + i; child < nodes)
        block.spawn(loaded_node{data, sums, child, nodes});
    });
    double const loaded = sum_of(block, [&](std::uint32_t part) {
      double sum = 0;
      for (std::uint32_t i = part; i < loads; i += Threads)
        sum += data.values[data.places[(node * loads + i) % tree_data::words]];
      return sum;
    });
    double const computed = sum_of(block, [&](std::uint32_t part) {
      double x = loaded + part, y = 1;
      for (std::uint32_t i = part; i < turns; i += Threads) {
        x = x * 0.999 + y;
        y = y * 0.5 + x;
      }
      return y;
    });
    if (block.rank() == 0) sums[node % 1024] = computed;
  }

 private:
  template <class Block, class Part>
  BALLAST_HD static double sum_of(Block& block, Part const& part) {
    auto& parts = block.scratch().parts;
    block.sync();
    block.for_each(Threads, [&](std::uint32_t i) { parts[i] = part(i); });
    block.sync();
    for (std::uint32_t width = Threads / 2; width > 0; width /= 2) {
      block.for_each(width, [&](std::uint32_t i) { parts[i] += parts[i + width]; });
      block.sync();
    }
    return parts[0];
  }
};

kernel_set const& fibonacci_kernels();
kernel_set const& range_kernels();
kernel_set const& tree_kernels_32();  ///< loaded_node<32>, and so on
kernel_set const& tree_kernels_64();
kernel_set const& tree_kernels_128();
kernel_set const& tree_kernels_256();

}  // namespace ballast::bench

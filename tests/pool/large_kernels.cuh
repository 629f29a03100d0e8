// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/join.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::test {
using namespace detail;

/// Adds one to its word, and to the value of its join.
template <int Threads>
struct large_root_leaf {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 1;
  array_ref<std::uint32_t> times;
  std::uint32_t number;
  join_handle join;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    device_atomic<std::uint32_t>(times[number]).add_relaxed(1);
    block.value_of(join).add_relaxed(1);
    block.finish(join);
  }
};

/// Writes what the join has come to into its word.
template <int Threads>
struct large_root_end {
  static constexpr int threads = Threads;
  array_ref<std::uint32_t> times;
  std::uint32_t number;
  join_handle join;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) times[number] = std::uint32_t(block.take_value(join));
  }
};

/// A kernel of 200 bytes whose blocks have five words each. It joins four leaves, which count in the first
/// four, if all its members are as they were made; then the fifth is 4.
template <int Threads>
struct large_root {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 4, joins = 1;
  static constexpr std::uint32_t words_of_block = 5;
  struct scratch {
    std::uint32_t copies[4];
  };
  array_ref<std::uint32_t> times;
  std::uint32_t seed;
  std::uint32_t words[47];

  static large_root of(array_ref<std::uint32_t> times, std::uint32_t seed) {
    large_root made{times, seed, {}};
    for (std::uint32_t i = 0; i < 47; ++i) made.words[i] = seed * 47 + i;
    return made;
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(4, [&](std::uint32_t i) { block.scratch().copies[i] = words[i]; });
    block.sync();
    if (block.rank() != 0) return;
    for (std::uint32_t i = 0; i < 47; ++i)
      if (words[i] != seed * 47 + i || (i < 4 && block.scratch().copies[i] != words[i])) return;
    std::uint32_t const first = block.index() * words_of_block;
    auto const join = block.fork(large_root_end<Threads>{times, first + 4, {}}, 4);
    for (std::uint32_t i = 0; i < 4; ++i) block.spawn(large_root_leaf<Threads>{times, first + i, join});
  }
};
static_assert(sizeof(large_root<64>) == 200);

/// On cores: says that it runs, waits until it may go on, and tells one of its members.
struct gated_large_root {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> running, gate, answer;
  std::uint32_t words[40];

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
    device_atomic<std::uint32_t>(running[0]).add_release(1);
    while (device_atomic<std::uint32_t>(gate[0]).load_acquire() == 0) {}
    device_atomic<std::uint32_t>(answer[0]).store_release(words[39]);
  }
};

kernel_set const& large_roots_of_blocks();   ///< 64 threads
kernel_set const& large_roots_of_threads();  ///< 1 thread
kernel_set const& gated_large_roots();

}  // namespace ballast::test

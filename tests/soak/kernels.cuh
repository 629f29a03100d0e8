// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "ballast/atomic_ref.cuh"
#include "ballast/job_scheduler.hpp"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/task.hpp"
#include "job_test_kernels.cuh"

namespace ballast::soak {

BALLAST_HD constexpr std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Counts that its block was run, after a number of steps that depends on the block. The words are pinned
/// memory that several devices share, in which a GPU has no atomic add.
struct visit {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> visits;
  std::uint32_t max_steps;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t value = block.index();
    auto const steps = max_steps == 0 ? 0 : mixed(value) % max_steps;
    for (std::uint32_t i = 0; i < steps; ++i) value = value * 1664525u + 1013904223u;
    if (block.rank() != 0) return;
    // The value decides nothing, which the compiler cannot know.
    count(visits[block.index()], value == 12345u && max_steps == ~0u ? 2 : 1);
  }

 private:
  BALLAST_HD static void count(std::uint32_t& word, std::uint32_t by) {
    atomic_ref<std::uint32_t, scope::system> const mine(word);
#if BALLAST_ON_GPU
    mine.store_relaxed(mine.load_relaxed() + by);
#else
    mine.add_relaxed(by);
#endif
  }
};

/// Throws on CPU cores: their device is lost.
struct fault {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> any;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
#if !BALLAST_ON_GPU
    throw std::runtime_error("a planted fault");
#endif
  }
};

/// The children of a node are numbered by it, so that the host can tell which nodes there are.
inline constexpr std::uint32_t max_children = 4;
BALLAST_HD constexpr bool has_child(std::uint32_t node, std::uint32_t i, std::uint32_t nodes,
                                    std::uint32_t salt) {
  return (node == 0 || mixed(node ^ salt) % 5 > i) && max_children * node + 1 + i < nodes;
}

struct grow {
  static constexpr int threads = 32;
  static constexpr std::uint32_t spawns = max_children;
  array_ref<std::uint32_t> visits;
  std::uint32_t node, nodes, salt;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) device_atomic<std::uint32_t>(visits[node]).add_relaxed(1);
    block.for_each(spawns, [&](std::uint32_t i) {
      if (has_child(node, i, nodes, salt))
        block.spawn(grow{visits, max_children * node + 1 + i, nodes, salt});
    });
  }
};

/// x = x * factor + addend for the word of each block: right only in the order of its line.
template <int Threads>
struct advance_by {
  static constexpr int threads = Threads;
  array_ref<std::uint32_t> words;
  std::uint32_t factor, addend;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) words[block.index()] = words[block.index()] * factor + addend;
  }
};

using advance = advance_by<64>;
using advance_widely = advance_by<128>;  // merged with the others

/// Adds to the element of each block from `first` to `end` - 1.
struct add_to_each {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> words;
  std::uint32_t by;
  std::uint32_t first = 0, end = ~0u;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      if (block.index() >= first && block.index() < end) words[block.index()] += by;
    });
  }
};

/// Writes the element of each second block only.
struct mark_even {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> words;
  std::uint32_t mark;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      if (block.index() % 2 == 0) words[block.index()] = mark + block.index();
    });
  }
};

using test::add_all, test::mix_rows;

kernel_set const& queue_kernels();
kernel_set const& pool_kernels();
kernel_set const& kernels_to_launch();
kernel_set const& kernels_of_jobs();

}  // namespace ballast::soak

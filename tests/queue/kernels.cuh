// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"
#include "visiting_kernels.cuh"
#include "worker_ledger.cuh"

namespace ballast::test {
using namespace detail;

using system_word = atomic_ref<std::uint32_t, scope::system>;

/// Adds one to the block's word of memory that several devices share, where they have no atomic add: right as
/// long as every block runs once.
struct add_one_plainly {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> marks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    system_word const mine(marks[block.index()]);
    if (block.rank() == 0) mine.store_relaxed(mine.load_relaxed() + 1);
  }
};

struct spin_then_mark {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> marks;
  std::uint32_t steps;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t value = block.index();
    for (std::uint32_t i = 0; i < steps; ++i) value = value * 1664525u + 1013904223u;
    system_word const mine(marks[block.index()]);
    if (block.rank() == 0) mine.store_relaxed(mine.load_relaxed() + (value == 12345u ? 2u : 1u));
  }
};

/// Tells that it runs, then waits until the host opens the gate (or a limit passes): a task of chosen length.
struct wait_at_gate {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> entered;  // pinned
  array_ref<std::uint32_t> gate;     // pinned

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) {
      system_word(entered[block.index()]).store_release(1);
      for (std::uint64_t looks = 0; system_word(gate[0]).load_acquire() == 0 && looks < (1ull << 36);
           ++looks) {}
    }
    block.sync();
  }
};

/// Goes on step by step until the host asks it to stop, as docs/how-to/small-tasks.md shows.
struct step_until_asked {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> stop;  // pinned
  array_ref<std::uint32_t> made;  // pinned, the steps of each block

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    ballast::atomic_ref<std::uint32_t, ballast::scope::system> const word(stop[0]);
    auto const read = [&](std::uint32_t) { return word.load_relaxed(); };
    while (block.reduce(1, 0u, read) == 0) make_step(block);
  }
  template <class Block>
  BALLAST_HD void make_step(Block& block) const {
    system_word const mine(made[block.index()]);
    if (block.rank() == 0) mine.store_relaxed(mine.load_relaxed() + 1);
  }
};

/// Writes its place among the blocks that have run.
struct write_place {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> next;    // one word
  array_ref<std::uint32_t> places;  // of each block

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) places[block.index()] = device_atomic<std::uint32_t>(next[0]).add_relaxed(1);
  }
};

/// Tells its worker and how many there are, by two words for each block, and then waits at a gate.
struct tell_worker {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> told;  // pinned
  wait_at_gate gate;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) {
      told[2 * std::size_t(block.index())] = block.worker();
      told[2 * std::size_t(block.index()) + 1] = block.workers();
    }
    block.sync();
    gate(block);
  }
};

/// A step over a ring of words, by plain loads and stores: each block writes one more than its neighbour was
/// after the step before. Wrong as soon as a block runs before all of that step have, or does not see them.
struct advance_word {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> from, to;
  std::uint32_t words;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) to[block.index()] = from[(block.index() + 1) % words] + 1;
  }
};

/// A node of a graph: adds one to the sum of the nodes before it, by plain loads and stores. Wrong as soon as
/// it runs before one of them, or does not see it.
struct add_nodes_before {
  static constexpr int threads = 64;
  static constexpr std::uint32_t most = 32;
  array_ref<std::uint32_t> sums;
  array_ref<std::uint32_t> before;  // pinned: for each node `most` numbers, ended by the node's own

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    auto const node = std::size_t(block.index());
    std::uint32_t sum = 1;
    for (std::uint32_t i = 0; i < most && before[node * most + i] != node; ++i)
      sum += sums[before[node * most + i]];
    sums[node] = sum;
  }
};

/// The fault of a device: a trap on a GPU, an exception on the host.
struct fail {
  static constexpr int threads = 64;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
#if BALLAST_ON_GPU
    __trap();
#else
    throw std::runtime_error("planted fault");
#endif
  }
};

kernel_set const& kernels();

}  // namespace ballast::test

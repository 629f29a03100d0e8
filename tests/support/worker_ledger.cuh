// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"

namespace ballast::test {

/// What one worker keeps: the tasks that it ran, without an atomic operation, and whether it runs one now.
struct worker_page {
  std::uint64_t tasks;
  std::uint32_t busy, unused;
};

/// What all tasks together found out about the workers.
struct worker_facts {
  std::uint32_t pages;                     ///< how many workers there is room for
  std::uint32_t strays;                    ///< tasks whose worker had no page, or was none of workers()
  std::uint32_t conflicts;                 ///< tasks that met another of the same worker
  std::uint32_t min_workers, max_workers;  ///< of workers() of all tasks
};

/// Where tasks enter themselves, each on the page of the worker that runs it.
struct worker_ledger {
  array_ref<worker_page> pages;
  array_ref<worker_facts> facts;

  /// One thread of the block calls it.
  template <class Block>
  BALLAST_HD void enter(Block& block) const {
    using word = device_atomic<std::uint32_t>;
    auto& all = facts[0];
    auto const worker = block.worker(), workers = block.workers();
    word(all.min_workers).store_min(workers);
    word(all.max_workers).store_max(workers);
    if (worker >= workers || worker >= all.pages) {
      word(all.strays).add_relaxed(1);
      return;
    }
    auto& mine = pages[worker];
    if (word(mine.busy).add_relaxed(1) != 0) word(all.conflicts).add_relaxed(1);
    ++mine.tasks;
    word(mine.busy).add_relaxed(~std::uint32_t(0));
  }
};

/// Node `node` of a binary tree of `nodes` nodes, which enters itself. Node i has the children 2 i + 1 and
/// 2 i + 2. As a task of several blocks it is so many trees.
template <int Threads>
struct entered_node {
  static constexpr int threads = Threads;
  static constexpr std::uint32_t spawns = 2;

  worker_ledger ledger;
  std::uint32_t node, nodes;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) ledger.enter(block);
    block.for_each(spawns, [&](std::uint32_t i) {
      if (std::uint32_t const child = 2 * node + 1 + i; child < nodes)
        block.spawn(entered_node{ledger, child, nodes});
    });
  }
};

/// Enters itself and creates nothing, so that queues and launches run it too.
template <int Threads>
struct entered {
  static constexpr int threads = Threads;

  worker_ledger ledger;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) ledger.enter(block);
  }
};

}  // namespace ballast::test

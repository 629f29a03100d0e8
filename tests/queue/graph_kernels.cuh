// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels.cuh"

namespace ballast::test {

/// A task of a graph whose result depends on its runs so far, and on what its predecessors wrote. Plain loads
/// and stores, each of what another thread wrote: wrong as soon as a task begins early.
struct mix_predecessors {
  static constexpr int threads = 64;
  static constexpr std::uint32_t words = 64;  ///< of each task
  array_ref<std::uint32_t> values, predecessors;
  std::uint32_t first, count, factor;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(words, [&](std::uint32_t i) {
      auto& mine = values[std::size_t(block.index()) * words + i];
      auto sum = mine * factor + block.index() + i;
      for (std::uint32_t k = 0; k < count; ++k)
        sum = sum * 31 + values[std::size_t(predecessors[first + k]) * words + (i + 1) % words];
      mine = sum;
    });
  }
};

/// mix_predecessors whose prepare() keeps what no task of the graph writes. Wrong if prepare() did not run,
/// or ran for another task.
struct prepare_and_mix {
  static constexpr int threads = mix_predecessors::threads;
  struct scratch {
    std::uint32_t first, count, prepared;
  };
  mix_predecessors mix;

  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    if (block.rank() == 0) block.scratch() = {mix.first, mix.count, block.index() + 1};
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.sync();
    auto const kept = block.scratch();
    auto step = mix;
    step.first = kept.first;
    step.count = kept.prepared == block.index() + 1 ? kept.count : 0;
    step(block);
  }
};

/// mix_predecessors as a kernel of many members, which does nothing where they are not aligned.
struct alignas(64) mix_by_reference {
  static constexpr int threads = mix_predecessors::threads;
  std::uint32_t unused[16];
  mix_predecessors mix;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (reinterpret_cast<std::uintptr_t>(this) % 64 == 0) mix(block);
  }
};

/// Counts its visits, and waits at a gate during one of them, counted from 1; 0: during none.
struct visit_and_wait {
  static constexpr int threads = 64;
  static constexpr bool repeatable = true;
  array_ref<std::uint32_t> visits;
  wait_at_gate gate;
  std::uint32_t waits_during;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.sync();
    if (block.rank() != 0 || device_word(visits[block.index()]).add_relaxed(1) + 1 != waits_during) return;
    system_word(gate.entered[block.index()]).store_release(1);
    while (system_word(gate.gate[0]).load_acquire() == 0) {}
  }
};

/// Waits at a gate as wait_at_gate, and has a prepare().
struct prepare_and_wait : wait_at_gate {
  template <class Block>
  BALLAST_HD void prepare(Block&) const {}
};

/// Counts its visits; wrong if its prepare() did not run, or ran for another task.
struct prepare_and_visit {
  static constexpr int threads = 64;
  static constexpr bool repeatable = true;
  using scratch = std::uint32_t;
  array_ref<std::uint32_t> visits;
  std::uint32_t first;

  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    if (block.rank() == 0) block.scratch() = first + 1;
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.sync();
    if (block.rank() == 0 && block.scratch() == first + 1) device_word(visits[block.index()]).add_relaxed(1);
  }
};

kernel_set const& graph_kernels();

}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"

namespace ballast::test {

using device_word = atomic_ref<std::uint32_t, scope::device>;

/// Each block adds one to its word: what was executed, and how often.
struct count_visit {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> visits;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(visits);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.sync();
    if (block.rank() == 0) device_word(visits[block.index()]).add_relaxed(1);
  }
};

/// Every item of the block through scratch, so that a missing barrier shows: adds `by` to 64 words.
struct add_through_scratch {
  static constexpr int threads = 64;
  struct scratch {
    std::uint32_t item[64];
  };
  array_ref<std::uint32_t> words;
  std::uint32_t by;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(words);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& shared = block.scratch();
    auto const base = std::size_t(block.index()) * 64;
    block.for_each(64, [&](std::uint32_t i) { shared.item[63 - i] = words[base + i] + by; });
    block.sync();
    block.for_each(64, [&](std::uint32_t i) { words[base + i] = shared.item[63 - i]; });
  }
};

/// Runs `steps` dependent steps, then counts: a task of any length.
struct work_then_count {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> visits;
  std::uint32_t steps;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(visits);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t value = block.index();
    for (std::uint32_t i = 0; i < steps; ++i) value = value * 1664525u + 1013904223u;
    if (block.rank() == 0) device_word(visits[block.index()]).add_relaxed(value == 12345u ? 2u : 1u);
  }
};

}  // namespace ballast::test

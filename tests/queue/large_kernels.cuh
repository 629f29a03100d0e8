// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels.cuh"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;

/// What a kernel of many members is filled with, so that a lost, old or foreign word shows.
BALLAST_HD inline std::uint32_t word_of_fill(std::uint32_t seed, std::uint32_t i) {
  return seed * 2654435761u + i * 40503u + 1;
}

/// Adds one to the block's word, as add_one_plainly, or 1000 if a member is not as it was made. The threads
/// tell what they saw through scratch, which must lie elsewhere than the members. 12 + 4 * Words bytes, to a
/// multiple of 8.
template <std::uint32_t Words>
struct mark_if_whole {
  static constexpr int threads = 64;
  struct scratch {
    std::uint32_t wrong[64];
  };
  array_ref<std::uint32_t> marks;
  std::uint32_t seed;
  std::uint32_t words[Words];

  static mark_if_whole of(array_ref<std::uint32_t> marks, std::uint32_t seed) {
    mark_if_whole made{marks, seed, {}};
    for (std::uint32_t i = 0; i < Words; ++i) made.words[i] = word_of_fill(seed, i);
    return made;
  }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& wrong = block.scratch().wrong;
    block.for_each(64, [&](std::uint32_t i) { wrong[i] = 0; });
    block.sync();
    block.for_each(Words, [&](std::uint32_t i) {
      if (words[i] != word_of_fill(seed, i)) wrong[i % 64] = 1;
    });
    block.sync();
    if (block.rank() != 0) return;
    std::uint32_t add = 1;
    for (auto const one : wrong)
      if (one != 0) add = 1000;
    system_word const mine(marks[block.index()]);
    mine.store_relaxed(mine.load_relaxed() + add);
  }
};
using mark_200_bytes = mark_if_whole<47>;
using mark_4000_bytes = mark_if_whole<997>;
static_assert(sizeof(mark_200_bytes) == 200 && sizeof(mark_4000_bytes) == 4000);

/// wait_at_gate as a kernel of 200 bytes.
struct wait_with_200_bytes {
  static constexpr int threads = 64;
  wait_at_gate gate;
  std::uint32_t words[46];

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    gate(block);
  }
};
static_assert(sizeof(wait_with_200_bytes) == 200);

/// A kernel of 200 bytes that creates four trees of one node each, by words of its own.
struct plant_four {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 4;
  mark_200_bytes whole;
  std::uint32_t first[4];

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    for (std::uint32_t i = 0; i < 47; ++i)
      if (whole.words[i] != word_of_fill(whole.seed, i)) return;
    for (auto const node : first) block.spawn(add_one_plainly{whole.marks}, {node + 4 * block.index(), 1});
  }
};

kernel_set const& large_kernels();
kernel_set const& large_spawning_kernels();

}  // namespace ballast::test

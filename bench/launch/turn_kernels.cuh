// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch/spin_kernels.cuh"

namespace ballast::bench {

/// The value of a chain's word, from then on, once a kernel did not find its turn there.
inline constexpr std::uint32_t out_of_turn = 1u << 31;

/// Stays busy for the given nanoseconds, then increments the word if it was this kernel's turn at the
/// beginning. So the word is the length of a chain if each of its kernels ran once, in order and alone.
BALLAST_HD inline void spin_in_turn_at(std::uint32_t* word, std::uint64_t busy_ns, std::uint32_t turn) {
  device_atomic<std::uint32_t> const turns(*word);
  auto const before = turns.load_relaxed();
  spin_for(busy_ns);
  turns.store_relaxed(before == turn ? turn + 1 : out_of_turn);
}

/// The kernel with this turn, from 0, in the chain that owns the word.
struct spin_in_turn {
  static constexpr int threads = spin_block::threads;
  array_ref<std::uint32_t> word;
  std::uint64_t busy_ns;
  std::uint32_t turn;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) spin_in_turn_at(word.data(), busy_ns, turn);
  }
};

/// spin_in_turn, for launch queues.
kernel_set const& turn_kernels();

/// spin_in_turn as a plain `__global__` function; null if CUDA was not built.
using plain_turn = void (*)(std::uint32_t* word, std::uint64_t busy_ns, std::uint32_t turn);
plain_turn plain_turn_kernel();

}  // namespace ballast::bench

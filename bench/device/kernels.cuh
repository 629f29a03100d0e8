// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"
#include "device/launched.cuh"
#if !BALLAST_ON_GPU
#  include <chrono>
#endif

namespace ballast::bench {

/// Cycles of this SM on a GPU, nanoseconds on the host.
BALLAST_HD inline std::uint64_t ticks() {
#if BALLAST_ON_GPU
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
#else
  return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
#endif
}

/// Nanoseconds, in steps of up to a microsecond on a GPU.
BALLAST_HD inline std::uint64_t nanoseconds() {
#if BALLAST_ON_GPU
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
#else
  return ticks();
#endif
}

/// How far both clocks advance in about `duration` nanoseconds. One block.
struct compare_clocks {
  static constexpr int threads = 32;
  array_ref<std::uint64_t> elapsed;  // ticks, nanoseconds
  std::uint64_t duration;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    constexpr int max_polls = 1 << 20;  // far more than a millisecond; ends the loop if a clock stands still
    if (block.rank() != 0) return;
    auto const began = nanoseconds(), first = ticks();
    for (int polls = 0; nanoseconds() - began < duration && polls < max_polls; ++polls) {}
    elapsed[1] = nanoseconds() - began;
    elapsed[0] = ticks() - first;
  }
};

/// Copies words with `lanes` (1 to 32) threads, repeatedly, and records the time of each round.
struct copy_words {
  static constexpr int threads = 32;
  static constexpr int in_flight = 8;  // loads of a thread before it stores
  using word = atomic_ref<std::uint64_t, scope::system>;

  array_ref<std::uint64_t> to, from;
  array_ref<std::uint64_t> elapsed;  // ticks of each round
  std::uint32_t words, lanes, rounds;
  bool fenced;  // a round ends when every observer can see its stores

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      block.sync();
      auto const begin = ticks();
      if (block.rank() < lanes) copy_once(block.rank());
      block.sync();
      if (block.rank() == 0) elapsed[round] = ticks() - begin;
    }
  }

 private:
  BALLAST_HD void copy_once(std::uint32_t lane) const {
    for (std::uint32_t first = lane; first < words; first += lanes * in_flight) {
      std::uint64_t held[in_flight] = {};
      for (std::uint32_t i = 0; i < in_flight; ++i)
        if (first + i * lanes < words) held[i] = word(from[first + i * lanes]).load_relaxed();
      for (std::uint32_t i = 0; i < in_flight; ++i)
        if (first + i * lanes < words) word(to[first + i * lanes]).store_relaxed(held[i]);
    }
    if (fenced) fence_after_relaxed<scope::system>();
  }
};

/// Copies an array, by all `blocks` of the grid.
struct copy_array {
  static constexpr int threads = 256;
  static constexpr int blocks_per_multiprocessor = 8;
  struct alignas(16) word {
    std::uint64_t low, high;
  };
  array_ref<word> to, from;
  std::uint32_t words, blocks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for (auto i = block.index() * block.size() + block.rank(); i < words; i += blocks * block.size())
      to[i] = from[i];
  }
};

/// One thread of each block adds to one of `addresses` words, each add after the previous one has returned.
struct add_to_words {
  static constexpr int threads = 128;
  static constexpr int blocks_per_multiprocessor = 16;
  static constexpr std::uint32_t spacing = 32;  // words: a cache line of 128 bytes for each address
  array_ref<std::uint32_t> words;
  array_ref<std::uint64_t> elapsed;  // ticks of each block
  std::uint32_t addresses, adds;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    atomic_ref<std::uint32_t, scope::device> const word(words[block.index() % addresses * spacing]);
    auto const begin = ticks();
    std::uint32_t old = 0;
    for (std::uint32_t i = 0; i < adds; ++i) old = word.add_relaxed(1 + (old >> 31));  // sums stay below 2^31
    elapsed[block.index()] = ticks() - begin;
  }
};

/// Does nothing; or, given a word, each block adds one to it.
struct start_block {
  static constexpr int threads = 128;
  static constexpr int blocks_per_multiprocessor = 16;
  array_ref<std::uint32_t> started;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (!started || block.rank() != 0) return;
    atomic_ref<std::uint32_t, scope::device>(started[0]).add_relaxed(1);
  }
};

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"

namespace ballast::bench {

using device_word = atomic_ref<std::uint32_t, scope::device>;
using system_word = atomic_ref<std::uint32_t, scope::system>;

/// The smallest task that leaves a trace: it adds one to the block's word.
template <int Threads>
struct count_block {
  static constexpr int threads = Threads;
  static constexpr int blocks_per_multiprocessor = 2048 / Threads;
  array_ref<std::uint32_t> counts;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) device_word(counts[block.index()]).add_relaxed(1);
  }
};

/// A count_block with `Bytes` bytes of members, a multiple of 8 from 16 on, all of which the block's threads
/// read.
template <std::size_t Bytes>
struct count_with_bytes {
  static constexpr int threads = 128;
  array_ref<std::uint32_t> counts;
  std::uint32_t words[(Bytes - 8) / 4];  // all 0

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t add = block.rank() == 0 ? 1 : 0;
    block.for_each((Bytes - 8) / 4, [&](std::uint32_t i) { add += words[i]; });
    if (add != 0) device_word(counts[block.index()]).add_relaxed(add);
  }
};

/// Reports that it runs and stays until the host opens the gate: occupies workers while a queue is filled.
struct wait_for_gate {
  static constexpr int threads = 128;
  static constexpr int blocks_per_multiprocessor = 16;
  array_ref<std::uint32_t> entered;  // pinned, a word per block
  array_ref<std::uint32_t> gate;     // on the device, written by a copy
  std::uint64_t max_polls;           // a forgotten gate opens by itself

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) {
      system_word(entered[block.index()]).store_release(1);
      for (std::uint64_t looks = 0; poll(system_word(gate[0])) == 0 && looks < max_polls; ++looks) {}
    }
    block.sync();
  }
};

/// Answers each number in `ping` with the same in `pong`: the bare round trip through pinned memory.
struct echo {
  static constexpr int threads = 128;
  array_ref<std::uint32_t> ping, pong;  // pinned
  std::uint32_t rounds;
  std::uint64_t max_polls;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      for (std::uint64_t looks = 0; poll(system_word(ping[0])) != round && looks < max_polls; ++looks) {}
      system_word(pong[0]).store_relaxed(round);
    }
  }
};

/// Answers each number in `ping` with the same in `pong` along the path of a task: block 0 reads the ping and
/// passes it through device memory to block 1, which makes its results visible to the host and answers.
struct relayed_echo {
  static constexpr int threads = 128;
  array_ref<std::uint32_t> ping, pong;  // pinned
  array_ref<std::uint32_t> between;     // on the device
  std::uint32_t rounds;
  std::uint32_t max_polls;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      if (block.index() == 0) {
        for (std::uint32_t looks = 0; poll(system_word(ping[0])) != round && looks < max_polls; ++looks) {}
        device_word(between[0]).store_relaxed(round);
      } else {
        for (std::uint32_t looks = 0; poll(device_word(between[0])) != round && looks < max_polls; ++looks) {}
        fence_after_relaxed<scope::system>();
        system_word(pong[0]).store_relaxed(round);
      }
    }
  }
};

/// count_block and wait_for_gate in blocks of 128 threads, as in the paper, and echo and relayed_echo.
/// Multiplies and adds in registers, of which two blocks take an SM's: a step takes 2 * 11 * 64 operations of
/// each thread.
struct multiply_tile {
  static constexpr int threads = 256;
  static constexpr int blocks_per_multiprocessor = 2;
  static constexpr int sums = 64, times = 11;
  array_ref<float> out;  // a word of each thread
  std::uint32_t steps;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    float of[sums];
    float const by = 1.0f + 1e-7f * float(block.rank());
    for (int i = 0; i < sums; ++i) of[i] = float(i + block.index());
    for (std::uint32_t step = 0; step < steps; ++step)
      for (int time = 0; time < times; ++time)
        for (int i = 0; i < sums; ++i) of[i] = of[i] * by + 1e-3f;
    float sum = 0;
    for (int i = 0; i < sums; ++i) sum += of[i];
    out[std::size_t(block.index()) * threads + block.rank()] = sum;
  }
};

kernel_set const& small_block_kernels();
/// count_block in blocks of 512 threads: the server reads as many slots ahead as it has threads.
kernel_set const& large_block_kernels();
/// count_block in blocks of 128 threads, for task_queue and for chen_queue.
kernel_set const& counting_kernels();
/// count_with_bytes of 16 to 4000 bytes.
kernel_set const& argument_kernels();

kernel_set const& tile_kernels();

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/device.hpp"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"
#include "queue/kernels.cuh"

namespace ballast::bench {

/// A block with as many dependent multiply-adds as its entry of `steps`; with none it ends immediately.
/// Stores a count and its result.
struct uneven_block {
  static constexpr int threads = 128;
  static constexpr int blocks_per_multiprocessor = 16;
  array_ref<std::uint32_t const> steps;
  array_ref<std::uint32_t> counts, results;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const wanted = steps[block.index()];
    std::uint32_t value = block.index() + block.rank();
    for (std::uint32_t i = 0; i < wanted; ++i) value = value * 1664525u + 1013904223u;
    if (block.rank() != 0) {
      if (value == 0) results[block.index()] = 1;  // so that no thread's work can be optimised away
      return;
    }
    results[block.index()] = value;
    device_word(counts[block.index()]).add_relaxed(1);
  }
};

/// The steps of an uneven_block that take about `us` microseconds.
inline std::uint32_t uneven_steps(compute_device const& device, double us) {
  return std::uint32_t((device.is_cuda() ? 400 : 800) * us);
}

/// The number of uneven_blocks that the devices run at a time, together.
inline std::uint32_t uneven_blocks_at_once(device_list const& devices) {
  std::uint32_t blocks = 0;
  for (auto const& device : devices)
    blocks += std::uint32_t(device->properties().multiprocessors) *
              (device->is_cuda() ? uneven_block::blocks_per_multiprocessor : 1);
  return blocks;
}

/// One tile of C = A B, square matrices of `size` columns (a multiple of 32), stored row by row; a block
/// whose entry of `active` is 0 ends immediately. Modelled on matrixMul of the CUDA samples, which the paper
/// used.
struct matmul_tile {
  static constexpr std::uint32_t tile = 32;
  static constexpr int threads = 128;
  static constexpr int blocks_per_multiprocessor = 8;
  struct scratch {
    float a[tile][tile + 1], b[tile][tile + 1];
  };
  array_ref<float const> a, b;
  array_ref<float> c;
  array_ref<std::uint32_t const> active;
  std::uint32_t size;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (active[block.index()] == 0) return;
    auto const tiles = size / tile;
    auto const row = block.index() / tiles * tile, column = block.index() % tiles * tile;
    auto& s = block.scratch();
    per_item<float, tile * tile, Block> sum;
    block.for_each(tile * tile, [&](std::uint32_t i) { sum[i] = 0; });
    for (std::uint32_t k = 0; k < size; k += tile) {
      block.for_each(tile * tile, [&](std::uint32_t i) {
        s.a[i / tile][i % tile] = a[std::size_t(row + i / tile) * size + k + i % tile];
        s.b[i / tile][i % tile] = b[std::size_t(k + i / tile) * size + column + i % tile];
      });
      block.sync();
      for (std::uint32_t m = 0; m < tile; ++m)
        block.for_each(tile * tile, [&](std::uint32_t i) { sum[i] += s.a[i / tile][m] * s.b[m][i % tile]; });
      block.sync();
    }
    block.for_each(tile * tile, [&](std::uint32_t i) {
      c[std::size_t(row + i / tile) * size + column + i % tile] = sum[i];
    });
  }
};

/// uneven_block, wait_for_gate.
kernel_set const& uneven_kernels();
/// matmul_tile.
kernel_set const& matmul_kernels();

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#include "device/tile_kernels.hpp"

#include <algorithm>
#include <type_traits>

#include "ballast/error.hpp"
#include "harness/cuda_check.hpp"

namespace ballast::bench {

std::string_view name_of(tile_way way) {
  switch (way) {
    case tile_way::plain_grid:
      return "plain grid";
    case tile_way::fixed_shares:
      return "fixed shares";
    case tile_way::no_quantum:
      return "no quantum";
    case tile_way::with_quantum:
      return "for_each_block";
  }
  throw error("no way to share tiles");
}

#if defined(__CUDACC__)
namespace {

__device__ unsigned hash_of(unsigned tile) {
  tile = (tile ^ tile >> 16) * 0x7feb352du;
  tile = (tile ^ tile >> 15) * 0x846ca68bu;
  return tile ^ tile >> 16;
}

/// What no result is; the comparison keeps the work from being removed.
__device__ void note(unsigned* visits, unsigned tile, float result) {
  if (threadIdx.x == 0) ++visits[tile];
  if (result == -1.0f) visits[tile] = 0;
}

struct no_prologue {};
__device__ void begin(computing_tiles const&, no_prologue&) {}
__device__ void work(computing_tiles const& tiles, no_prologue const&, unsigned tile) {
  unsigned const steps = tiles.length * (tiles.is_uneven && hash_of(tile) % 10 == 0 ? 10 : 1);
  float sums[8];
  for (int i = 0; i < 8; ++i) sums[i] = float(tile % 7 + unsigned(i) + threadIdx.x);
  for (unsigned step = 0; step < steps; ++step) {
#  pragma unroll
    for (int i = 0; i < 64; ++i) sums[i % 8] = sums[i % 8] * 0.75f + 1.0f;
  }
  float sum = 0;
  for (float const one : sums) sum += one;
  note(tiles.visits, tile, sum);
}

struct shared_table {
  float values[table_tiles::values];
};
__device__ void begin(table_tiles const& tiles, shared_table& table) {
  for (unsigned i = threadIdx.x; i < table_tiles::values; i += table_tiles::threads)
    table.values[i] = tiles.table[i];
  __syncthreads();
}
__device__ void work(table_tiles const& tiles, shared_table const& table, unsigned tile) {
  auto const row = std::size_t(tile) * table_tiles::threads + threadIdx.x;
  auto const* const elements = tiles.elements + row % table_tiles::distinct;
  float sum = 0;
  for (unsigned column = 0; column < tiles.columns; ++column)
    sum += table.values[elements[column * table_tiles::distinct]] * tiles.vector[column];
  tiles.product[row] = sum;
  note(tiles.visits, tile, 0);
}

template <class Tiles>
using prologue_of = std::conditional_t<std::is_same_v<Tiles, table_tiles>, shared_table, no_prologue>;

template <class Tiles, tile_way Way>
__global__ void __launch_bounds__(Tiles::threads)
    run_tiles(__grid_constant__ Tiles const tiles, unsigned count, block_counter* counter,
              block_quantum quantum) {
  __shared__ prologue_of<Tiles> prologue;
  begin(tiles, prologue);
  if constexpr (Way == tile_way::plain_grid) {
    work(tiles, prologue, blockIdx.x);
  } else if constexpr (Way == tile_way::fixed_shares) {
    for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x) {
      work(tiles, prologue, tile);
      __syncthreads();
    }
  } else {
    for_each_block(*counter, count, quantum, [&](unsigned tile) { work(tiles, prologue, tile); });
  }
}

template <class Tiles>
using tiles_kernel = void (*)(Tiles const, unsigned, block_counter*, block_quantum);
template <class Tiles>
tiles_kernel<Tiles> kernel_of(tile_way way) {
  switch (way) {
    case tile_way::plain_grid:
      return &run_tiles<Tiles, tile_way::plain_grid>;
    case tile_way::fixed_shares:
      return &run_tiles<Tiles, tile_way::fixed_shares>;
    default:
      return &run_tiles<Tiles, tile_way::with_quantum>;
  }
}

template <class Tiles>
loop_shape shape_by(tile_way way, unsigned count, std::uint32_t shared_bytes, double tile_seconds) {
  loop_options options;
  options.tile = std::chrono::nanoseconds(std::int64_t(1e9 * tile_seconds) + 1);
  if (way == tile_way::no_quantum) options.quantum = {};
  auto shape = shape_of(kernel_of<Tiles>(way), count, Tiles::threads, shared_bytes, options);
  if (way == tile_way::plain_grid) shape.blocks = count;
  if (way == tile_way::fixed_shares) shape.blocks = std::min(count, shape.quantum.resident);
  return shape;
}

__device__ std::uint64_t global_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

__global__ void hold_multiprocessors(std::uint32_t* started, std::uint32_t* release,
                                     std::uint64_t nanoseconds, std::uint32_t lookers) {
  if (threadIdx.x != 0) return;
  auto const began = global_nanoseconds();
  auto const limit = nanoseconds == 0 ? 10'000'000'000u : nanoseconds;
  std::uint32_t volatile* const own = started + blockIdx.x;
  *own = 1;
  while (global_nanoseconds() - began < limit) {
    if (nanoseconds == 0 && *static_cast<std::uint32_t volatile*>(release) != 0) return;
    if (blockIdx.x >= lookers)
      __nanosleep(1000);
    else if (*own == 0)
      return;
  }
}

}  // namespace

gpu_function hold_function() { return &hold_multiprocessors; }
std::uint32_t all_shared_bytes(int gpu) {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu),
        "cudaDeviceGetAttribute");
  return std::uint32_t(bytes);
}

gpu_function function_of(computing_tiles const*, tile_way way) { return kernel_of<computing_tiles>(way); }
gpu_function function_of(table_tiles const*, tile_way way) { return kernel_of<table_tiles>(way); }
loop_shape shape_of_tiles(computing_tiles const*, tile_way way, unsigned count, std::uint32_t shared_bytes,
                          double tile_seconds) {
  return shape_by<computing_tiles>(way, count, shared_bytes, tile_seconds);
}
loop_shape shape_of_tiles(table_tiles const*, tile_way way, unsigned count, std::uint32_t shared_bytes,
                          double tile_seconds) {
  return shape_by<table_tiles>(way, count, shared_bytes, tile_seconds);
}
#else
gpu_function hold_function() { return nullptr; }
std::uint32_t all_shared_bytes(int) { return 0; }
gpu_function function_of(computing_tiles const*, tile_way) { return nullptr; }
gpu_function function_of(table_tiles const*, tile_way) { return nullptr; }
loop_shape shape_of_tiles(computing_tiles const*, tile_way, unsigned, std::uint32_t, double) { return {}; }
loop_shape shape_of_tiles(table_tiles const*, tile_way, unsigned, std::uint32_t, double) { return {}; }
#endif

std::uint32_t shared_bytes_of(computing_tiles const*, int gpu) { return all_shared_bytes(gpu) / 5 * 2; }
std::uint32_t shared_bytes_of(table_tiles const*, int) { return 0; }

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "ballast/for_each_block.cuh"
#include "ballast/gpu_function.hpp"

namespace ballast::bench {

/// How the blocks of a kernel share its tiles: a block a tile; a fixed share for each of the blocks that fit;
/// for_each_block() without a quantum; and with one.
enum class tile_way { plain_grid, fixed_shares, no_quantum, with_quantum };
inline constexpr tile_way tile_ways[] = {tile_way::plain_grid, tile_way::fixed_shares, tile_way::no_quantum,
                                         tile_way::with_quantum};
std::string_view name_of(tile_way way);

/// Tiles that only compute: `length` steps of 64 multiplications by each of 256 threads, or ten times as
/// many in one of ten tiles. Blocks have so much shared memory that two fit on an SM.
struct computing_tiles {
  static constexpr std::uint32_t threads = 256;

  unsigned length;
  bool is_uneven;
  unsigned* visits;  ///< of each tile, counted
};

/// A product of a matrix with a vector, whose tiles are 256 rows: elements are numbers of 8192 values in a
/// table, which each block first copies to shared memory. The matrix repeats after `distinct` rows.
struct table_tiles {
  static constexpr std::uint32_t threads = 256;
  static constexpr std::uint32_t values = 8192, distinct = 4096, max_columns = 512;

  unsigned columns;
  unsigned* visits;
  float const* table;
  std::uint16_t const* elements;  ///< column after column of `distinct`
  float const* vector;
  float* product;  ///< of all rows
};

/// hold_multiprocessors(std::uint32_t* started, std::uint32_t* release, std::uint64_t nanoseconds,
/// std::uint32_t lookers): block b writes 1 to started[b], and ends after that time; if that is 0, once
/// *release is not 0, but within ten seconds. Blocks below `lookers` read started[b] all the time, others
/// sleep. With `all_shared_bytes` a block has its SM alone.
gpu_function hold_function();
std::uint32_t all_shared_bytes(int gpu);

///@{
/// The kernels, with the parameters (tiles, unsigned count, block_counter*, block_quantum), their shared
/// memory, and their shapes on the calling thread's current GPU. None if CUDA was not built.
gpu_function function_of(computing_tiles const*, tile_way way);
gpu_function function_of(table_tiles const*, tile_way way);
std::uint32_t shared_bytes_of(computing_tiles const*, int gpu);
std::uint32_t shared_bytes_of(table_tiles const*, int gpu);
loop_shape shape_of_tiles(computing_tiles const*, tile_way way, unsigned count, std::uint32_t shared_bytes,
                          double tile_seconds);
loop_shape shape_of_tiles(table_tiles const*, tile_way way, unsigned count, std::uint32_t shared_bytes,
                          double tile_seconds);
///@}

}  // namespace ballast::bench

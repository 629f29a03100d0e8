// SPDX-License-Identifier: Apache-2.0
#pragma once

// For one's own `__global__` kernels: needs no other part of the library, and device code alone compiles with
// NVRTC.

#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/version.hpp"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#  include "ballast/detail/device/cuda/cancelled_block.cuh"
#endif
#if !BALLAST_ON_GPU
#  include <atomic>
#endif
#if !defined(__CUDACC_RTC__)
#  include <algorithm>
#  include <chrono>
#  include <cstdint>
#  include <string>

#  include "ballast/error.hpp"
#endif
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#  include <cuda_runtime_api.h>
#endif

namespace ballast {
/// How long the blocks of a loop stay. By default, until no tile is left.
struct block_quantum {
  /// How many blocks the GPU holds at a time; 0: none ends before the last tile is taken.
  unsigned resident = 0;
  /// At most this many tiles are taken at a time; at least 1.
  unsigned batch = 8;
};

namespace detail {

/// The tiles that were taken, and the blocks that have ended.
class alignas(128) tile_counter {
 public:
  /// Takes `count` tiles and returns the number of the first.
  BALLAST_HD unsigned long long take(unsigned count) {
#if BALLAST_ON_GPU
    return atomicAdd(&next_, static_cast<unsigned long long>(count));
#else
    return std::atomic_ref(next_).fetch_add(count, std::memory_order_relaxed);
#endif
  }
  /// Each of `blocks` blocks calls it once, after which the counter is zero.
  BALLAST_HD void leave(unsigned blocks) {
#if BALLAST_ON_GPU
    __threadfence();
    if (atomicInc(&left_, blocks - 1) == blocks - 1) next_ = 0;
#else
    if (std::atomic_ref(left_).fetch_add(1, std::memory_order_acq_rel) + 1 != blocks) return;
    std::atomic_ref(next_).store(0, std::memory_order_relaxed);
    std::atomic_ref(left_).store(0, std::memory_order_release);
#endif
  }

 private:
  unsigned long long next_ = 0;
  alignas(128) unsigned left_ = 0;  // in a line of its own: blocks that end do not delay others
};

}  // namespace detail

/// What the blocks of one loop share: 256 bytes of device memory, or for CPU cores of any memory, aligned to
/// 128 bytes. They are zero before the loop and, as soon as the last block has ended, zero again. Loops that
/// run at the same time need a counter each. The host may clear one by cudaMemset, and needs to only once.
class block_counter : public detail::tile_counter {};
static_assert(sizeof(block_counter) == 256);

namespace detail {

/// Tiles that a block has taken: first to end - 1; none left if first == end.
struct taken_tiles {
  /// The first tile.
  unsigned first = 0, end = 0;  ///< the tile behind the last
};

/// A block's part in a loop over `tiles` tiles, of which `blocks` blocks take. `index` is the block's among
/// them.
struct tile_loop {
  /// The members, as above.
  unsigned tiles, blocks, index;
  block_quantum quantum;  ///< how long the block stays

  /// The blocks that run at a time.
  BALLAST_HD unsigned resident() const {
    return quantum.resident == 0 || quantum.resident > blocks ? blocks : quantum.resident;
  }
  /// How many tiles to take where `seen` are taken: fewer towards the end, so that blocks end together.
  BALLAST_HD unsigned next_batch(unsigned seen) const {
    unsigned const fair = (tiles - seen) / 8 / resident();
    return fair < 1 ? 1 : fair < quantum.batch ? fair : quantum.batch;
  }
  /// One thread of the block calls it.
  BALLAST_HD taken_tiles take(block_counter& counter, unsigned seen) const {
    unsigned const batch = next_batch(seen);
    auto const first = counter.take(batch);
    if (first >= tiles) return {tiles, tiles};
    return {unsigned(first), tiles - unsigned(first) < batch ? tiles : unsigned(first) + batch};
  }
  /// True if the block is to end for another that waits for its place. The ends are spread over the loop;
  /// those that would be due after it do not come, so the last blocks stay until no tile is left.
  BALLAST_HD bool is_over(unsigned taken) const {
    using product = unsigned long long;
    auto const due = product(tiles) * (product(index) + 1);
    return taken == tiles || product(taken) * (blocks - resident()) >= due;
  }
};

/// Leaves the counter at the end of the scope, also if a tile throws.
class loop_member {
 public:
  BALLAST_HD loop_member(block_counter& counter, unsigned blocks, bool is_first_thread)
      : counter_(&counter), blocks_(blocks), is_first_thread_(is_first_thread) {}
  loop_member(loop_member const&) = delete;
  loop_member& operator=(loop_member const&) = delete;
  BALLAST_HD ~loop_member() {
    if (is_first_thread_) counter_->leave(blocks_);
  }

 private:
  block_counter* counter_;
  unsigned blocks_;
  bool is_first_thread_;
};

/// Calls `take` in the block's first thread, and gives what it returns to all threads. `turn` alternates
/// between 0 and 1, so that nobody overwrites what a slower thread reads.
template <class Block, class Take>
BALLAST_HD taken_tiles taken_by_first(Block const& block, [[maybe_unused]] unsigned turn, Take const& take) {
  if constexpr (Block::threads == 1) {
    return take();
  } else {
#if BALLAST_ON_GPU
    __shared__ taken_tiles slots[2];
    if (block.rank() == 0) slots[turn] = take();
    block.sync();
    return slots[turn];
#else
    auto const take_once = [&](unsigned) { return take(); };
    auto const what_was_taken = [](taken_tiles const&, taken_tiles const& taken) { return taken; };
    return block.reduce(1, taken_tiles{}, take_once, what_was_taken);
#endif
  }
}

/// Refuses what is no body of a loop.
template <class Body>
BALLAST_HD void check_body() {
  constexpr bool takes_a_tile = requires(Body body, unsigned tile) { body(tile); };
  static_assert(takes_a_tile, "the body takes the number of a tile: [&](unsigned tile) { ... }");
}

/// All threads of the block call it.
template <class Block, class Body>
BALLAST_HD void run_tiles(Block const& block, block_counter& counter, tile_loop const& loop, Body& body) {
  loop_member const member(counter, loop.blocks, block.rank() == 0);
  taken_tiles taken{loop.tiles, loop.tiles};  // so that a block that begins late takes one tile first
  unsigned turn = 0;
  do {
    taken = taken_by_first(block, turn, [&] { return loop.take(counter, taken.first); });
    turn ^= 1;
    for (unsigned tile = taken.first; tile < taken.end; ++tile) {
      if (tile != taken.first) block.sync();
      body(tile);
    }
  } while (!loop.is_over(taken.end));
  block.sync();
}

#if defined(__CUDACC__)
/// The block of a `__global__` kernel with a grid of one dimension.
struct grid_block {
  static constexpr unsigned threads = 0;  ///< known at run time only
  ///@{
  /// As in the concept block.
  static __device__ unsigned rank() { return threadIdx.x | threadIdx.y | threadIdx.z; }
  static __device__ void sync() { __syncthreads(); }
  ///@}
};
#endif

}  // namespace detail

/// In a ballast kernel (block.cuh), on a GPU or a core: `blocks` blocks, each of which calls this once, share
/// the tiles 0 to tiles - 1. Calls body(tile) for each, exactly once, in all threads of the block that took
/// it. All threads call it with the same arguments. The body may use block.sync(); one comes between two
/// tiles, and at the end. What it throws on a core ends the block's part, which loses the tiles that it had
/// taken. `tiles` may be 0 and have 32 bits; `blocks` is at least 1.
template <class Block, class Body>
BALLAST_HD void for_each_block(Block const& block, block_counter& counter, unsigned tiles, unsigned blocks,
                               Body&& body) {
  detail::check_body<Body>();
  detail::run_tiles(block, counter, detail::tile_loop{tiles, blocks, 0, {}}, body);
}

#if defined(__CUDACC__)
/// In one's own `__global__` kernel with a grid of one dimension, which all its threads call once: its blocks
/// share the tiles 0 to tiles - 1. Calls body(tile) for each, exactly once, in all threads of the block that
/// took it; a barrier of the block comes between two tiles, and at the end. Any grid is right, that of
/// shape_of() fast. Code for compute capability 10.0 and later uses neither the counter nor the quantum: the
/// hardware gives a block, when it has finished a tile, one that has not begun.
template <class Body>
__device__ void for_each_block(block_counter& counter, unsigned tiles, block_quantum quantum, Body&& body) {
  detail::check_body<Body>();
#  if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  detail::for_each_cancelled_block([&](unsigned index) {
    for (unsigned long long tile = index; tile < tiles; tile += gridDim.x) {
      if (tile != index) __syncthreads();
      body(unsigned(tile));
    }
  });
#  else
  detail::run_tiles(detail::grid_block{}, counter, detail::tile_loop{tiles, gridDim.x, blockIdx.x, quantum},
                    body);
#  endif
}
#endif

#if !defined(__CUDACC_RTC__)

/// What shape_of() goes by.
struct loop_options {
  /// A block ends after about this time, so that blocks of other kernels find a place; 0 or more. 0: it stays
  /// until no tile is left.
  std::chrono::nanoseconds quantum = std::chrono::microseconds(200);
  /// About the time that a block spends on a tile, at least 1 ns. If it is much too long, blocks end early
  /// and prologues repeat; if it is much too short, blocks stay longer than the quantum.
  std::chrono::nanoseconds tile = std::chrono::microseconds(5);
};

/// How to launch a kernel that calls for_each_block().
struct loop_shape {
  /// The grid, in blocks.
  unsigned blocks = 1;
  /// To be passed to for_each_block() by the kernel.
  block_quantum quantum;
};

namespace detail {

/// The shape where `resident` blocks fit on the GPU; throws bad_argument as shape_of() does.
inline loop_shape shape_for(unsigned resident, std::uint64_t tiles, loop_options const& options) {
  if (tiles > 0x7fffffff) throw_bad_argument("tiles", tiles, "0 to 2147483647, the most blocks of a grid");
  if (options.quantum.count() < 0) throw_bad_argument("quantum", options.quantum.count(), "0 ns or more");
  if (options.tile.count() <= 0) throw_bad_argument("tile", options.tile.count(), "1 ns or more");
  auto const at_least_one = std::max<std::uint64_t>(tiles, 1);
  if (options.quantum.count() == 0) return {unsigned(std::min<std::uint64_t>(resident, at_least_one)), {}};
  auto const tiles_of_quantum = double(options.quantum.count()) / double(options.tile.count());
  auto const blocks = resident + double(tiles) / tiles_of_quantum;
  auto const batch = std::clamp(tiles_of_quantum / 4, 1.0, 8.0);
  return {unsigned((std::min)(blocks, double(at_least_one))), {resident, unsigned(batch)}};
}

}  // namespace detail
#endif

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
namespace detail {

/// Throws error with CUDA's message, if it is one, and leaves none for cudaGetLastError().
inline void require_cuda(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// An attribute of the thread's current GPU.
inline int current_gpu(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  require_cuda(cudaGetDevice(&device), "cudaGetDevice");
  require_cuda(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

/// Lets blocks of the function have this many threads and bytes, or throws bad_argument.
inline void permit_block(void const* function, cudaFuncAttributes const& of, unsigned threads,
                         std::size_t shared_bytes) {
  auto const most_bytes =
      std::size_t(current_gpu(cudaDevAttrMaxSharedMemoryPerBlockOptin)) - of.sharedSizeBytes;
  if (threads < 1 || threads > unsigned(of.maxThreadsPerBlock))
    throw_bad_argument("threads", threads, "1 to " + std::to_string(of.maxThreadsPerBlock));
  if (shared_bytes > most_bytes)
    throw_bad_argument("shared_bytes", shared_bytes, "0 to " + std::to_string(most_bytes));
  if (shared_bytes > std::size_t(of.maxDynamicSharedSizeBytes))
    require_cuda(
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)),
        "cudaFuncSetAttribute");
}

/// The blocks of the function that the thread's current GPU holds at a time.
inline unsigned resident_blocks(void const* function, unsigned threads, std::size_t shared_bytes) {
  int of_one = 0;
  require_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, function, int(threads), shared_bytes),
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return unsigned(of_one) * unsigned(current_gpu(cudaDevAttrMultiProcessorCount));
}

}  // namespace detail

/// The shape in which to launch `kernel`, a `__global__` function that calls for_each_block() for `tiles`
/// tiles, 0 to 2^31 - 1, by blocks of `threads` threads with `shared_bytes` bytes of dynamic shared memory,
/// on the calling thread's current GPU. Also permits the kernel that shared memory. Does not wait. Throws
/// bad_argument for an argument that is not legal or that this GPU does not allow, and error with CUDA's
/// message.
template <class... Parameter>
loop_shape shape_of(void (*kernel)(Parameter...), std::uint64_t tiles, unsigned threads,
                    std::size_t shared_bytes = 0, loop_options const& options = {}) {
  auto const* const function = reinterpret_cast<void const*>(kernel);
  cudaFuncAttributes attributes{};
  detail::require_cuda(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
  detail::permit_block(function, attributes, threads, shared_bytes);
  auto shape = detail::shape_for(detail::resident_blocks(function, threads, shared_bytes), tiles, options);
  if (attributes.ptxVersion >= 100) shape.blocks = (std::max)(1u, unsigned(tiles));
  return shape;
}
#endif

}  // namespace ballast

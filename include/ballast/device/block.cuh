// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "ballast/device/kernel_exception.cuh"
#include "ballast/device/kernel_form.cuh"
#include "ballast/device/qualifiers.cuh"

namespace ballast::inline device {

/// A number of items that is known when compiled: `block.for_each(items<256>, f)` compares nothing on a GPU
/// if the block's threads divide it, so that a loop around it can be unrolled.
template <std::uint32_t N>
struct item_count {};
template <std::uint32_t N>
inline constexpr item_count<N> items{};

/// A Block runs one block of a kernel. What a kernel's operator() may ask of it:
///   index()    the logical index of this block: first + 0 .. count - 1 of its task, wherever it runs
///   first(), count()   the task's block range
///   rank(), size()     this thread among the block's threads; a host block has one thread
///   sync()     every thread of the block waits for the others; their writes are visible after it
///   for_each(n, f)     calls f(i) for i in [0, n), each exactly once, spread over the threads; no sync
///                      inside
///   for_each(items<N>, f)        the same for a number that is known when compiled
///   for_each(rows, columns, f)   the same for f(row, column), columns innermost
///   scratch()          the kernel's `scratch` struct, shared by the block's threads; contents undefined at
///                      the start
template <class B>
concept block = requires(B b, std::uint32_t n) {
  { b.index() } -> std::same_as<std::uint32_t>;
  { b.first() } -> std::same_as<std::uint32_t>;
  { b.count() } -> std::same_as<std::uint32_t>;
  { b.rank() } -> std::same_as<std::uint32_t>;
  { b.size() } -> std::same_as<std::uint32_t>;
  b.sync();
  b.for_each(n, [](std::uint32_t) {});
  b.for_each(items<1>, [](std::uint32_t) {});
  b.for_each(n, n, [](std::uint32_t, std::uint32_t) {});
};

/// Which blocks of a kernel a task stands for: logical indices first .. first + count - 1.
struct block_range {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

/// The block of a host device: one thread, so that for_each is a plain loop which the compiler vectorises.
template <class K>
class host_block {
 public:
  static constexpr std::uint32_t threads = 1;

  BALLAST_HD host_block(block_range range, void* scratch) : range_(range), scratch_(scratch) {}

  BALLAST_HD std::uint32_t index() const { return index_; }
  BALLAST_HD std::uint32_t first() const { return range_.first; }
  BALLAST_HD std::uint32_t count() const { return range_.count; }
  BALLAST_HD std::uint32_t rank() const { return 0; }
  BALLAST_HD std::uint32_t size() const { return 1; }
  BALLAST_HD void sync() const {}
  template <class F>
  BALLAST_HD void for_each(std::uint32_t n, F&& f) const {
    for (std::uint32_t i = 0; i < n; ++i) f(i);
  }
  template <std::uint32_t N, class F>
  BALLAST_HD void for_each(item_count<N>, F&& f) const {
    for_each(N, f);
  }
  template <class F>
  BALLAST_HD void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t column = 0; column < columns; ++column) f(row, column);
  }
  BALLAST_HD scratch_of<K>& scratch() const { return *static_cast<scratch_of<K>*>(scratch_); }

  /// For whoever runs the blocks of a range one after another.
  BALLAST_HD void move_to(std::uint32_t index) { index_ = index; }

 private:
  block_range range_;
  std::uint32_t index_ = 0;
  void* scratch_;
};

#if defined(__CUDACC__)
/// The block of a GPU: the kernel's threads.
template <class K>
class cuda_block {
 public:
  static constexpr std::uint32_t threads = K::threads;

  __device__ cuda_block(block_range range, void*) : range_(range) {}

  __device__ std::uint32_t index() const { return index_; }
  __device__ std::uint32_t first() const { return range_.first; }
  __device__ std::uint32_t count() const { return range_.count; }
  __device__ std::uint32_t rank() const {
    // So that the compiler knows: a comparison with the rank inside a kernel's inner loop keeps ptxas from
    // unrolling that, and an assumption is forgotten in a resident kernel, and in one of a launch queue.
    return threadIdx.x & max_rank;
  }
  __device__ std::uint32_t size() const { return threads; }
  __device__ void sync() const { __syncthreads(); }
  template <class F>
  __device__ void for_each(std::uint32_t n, F&& f) const {
    for (std::uint32_t i = rank(); i < n; i += threads) f(i);
  }
  template <std::uint32_t N, class F>
  __device__ void for_each(item_count<N>, F&& f) const {
    for (std::uint32_t first = 0; first < N; first += threads)
      if (N % threads == 0 || first + rank() < N) f(first + rank());
  }
  template <class F>
  __device__ void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
    for (std::uint32_t i = rank(); i < rows * columns; i += threads) f(i / columns, i % columns);
  }
  // Named here and not passed as a pointer, so that the compiler knows the accesses to be to shared memory.
  __device__ scratch_of<K>& scratch() const {
    extern __shared__ __align__(128) unsigned char ballast_scratch[];
    return *reinterpret_cast<scratch_of<K>*>(ballast_scratch);
  }

  __device__ void move_to(std::uint32_t index) { index_ = index; }

 private:
  static constexpr std::uint32_t max_rank = std::bit_ceil(threads) - 1;  ///< that bits allow

  block_range range_;
  std::uint32_t index_ = 0;
};
#endif

/// State of N items of a block that lives across sync(): a register per thread and item on a GPU, an array on
/// the host. Item i may be touched only by the thread that for_each gives i to; always index it inside
/// for_each(N, ...).
template <class T, std::uint32_t N, class Block>
class per_item {
 public:
  BALLAST_HD T& operator[](std::uint32_t item) { return values_[index_of(item)]; }
  BALLAST_HD T const& operator[](std::uint32_t item) const { return values_[index_of(item)]; }

 private:
  static constexpr std::uint32_t count = (N + Block::threads - 1) / Block::threads;

  /// Known when compiled if there is only one: else it may be memory and no register.
  BALLAST_HD static constexpr std::uint32_t index_of(std::uint32_t item) {
    return count == 1 ? 0 : item / Block::threads;
  }

  T values_[count];
};

/// Runs every block of a task, one after another, on the calling block of threads. Ends with a sync, so that
/// the scratch may be used again.
template <template <class> class Block, class K>
BALLAST_HD void run_blocks(K const& kernel, block_range range, void* scratch) {
  Block<K> block(range, scratch);
  for (std::uint32_t i = 0; i < range.count; ++i) {
    block.move_to(range.first + i);
    invoke_kernel(kernel, block);
    block.sync();
  }
}

}  // namespace ballast::inline device

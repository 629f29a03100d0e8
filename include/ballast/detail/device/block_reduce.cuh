// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/version.hpp"

namespace ballast {
struct plus;
}

namespace ballast::detail {

// The order in which values are combined is the same for every number of threads. A chunk is 32 consecutive
// items, which always belong to the lanes of one warp.
//   Within a chunk the order is that of a scan by shuffles (Hillis and Steele 1986): at distances 1, 2, 4, 8
//   and 16 each value combines with the value that far to its left, if there is one. Chunks follow each other
//   in order, beginning with the initial value. In reduce() of a warp item i belongs to strand i % 32; the
//   items of a strand are combined in order, then the strands are combined like a chunk.

/// Consecutive items that a warp's lanes combine.
inline constexpr std::uint32_t chunk_items = 32;

BALLAST_HD constexpr std::uint32_t chunk_count(std::uint32_t items, std::uint32_t first) {
  return items - first < chunk_items ? items - first : chunk_items;
}

/// True if an initial value of type T can hold a Given.
template <class T, class Given>
constexpr bool holds = !std::is_arithmetic_v<T> || !std::is_arithmetic_v<Given> ||
                       (sizeof(Given) <= sizeof(T) && std::is_integral_v<Given> >= std::is_integral_v<T>);

/// The result of f for an item.
template <class F>
using item_value = std::remove_cvref_t<std::invoke_result_t<F, std::uint32_t>>;

/// The most items of one call. A GPU thread recognises the end by a 32-bit index that exceeds the last item
/// by up to 1024.
inline constexpr std::uint32_t max_items = std::uint32_t(-1) - 1023;
#if !defined(__CUDACC_RTC__)
[[noreturn]] BALLAST_API void throw_too_many_items(std::uint64_t items);
#endif

/// Refuses more than max_items items where bounds are checked. A template over the type of the items'
/// function, so that files with and without bounds checks share no code.
template <class F>
BALLAST_HD constexpr void check_items([[maybe_unused]] std::uint64_t items) {
#if BALLAST_BOUNDS_ARE_CHECKED && BALLAST_ON_GPU
  if (items > max_items) __trap();
#elif BALLAST_BOUNDS_ARE_CHECKED
  if (items > max_items) throw_too_many_items(items);
#endif
}

/// Refuses types that reduce() and scan() cannot handle.
template <class T, class F>
BALLAST_HD constexpr void check_reduction(std::uint32_t items) {
  check_items<F>(items);
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>,
                "the values are not trivially copyable, or not made from nothing: threads exchange them as "
                "bytes, so combine numbers or structs of them");
  static_assert(holds<T, item_value<F>>,
                "the initial value decides the type, and its type cannot hold what is combined: begin with "
                "0.0f for floats, with std::uint64_t(0) for large sums");
}

/// True for integers, which give the same bits in any order of an associative operation.
template <class T>
constexpr bool any_order = std::is_integral_v<T>;

/// Replaces each of `count` values by its combination with the values before it, in the order of a chunk.
template <class T, class Op>
BALLAST_HD void scan_chunk(T* values, std::uint32_t count, Op const& op) {
  for (std::int32_t apart = 1; apart < std::int32_t(count); apart *= 2)
    for (std::int32_t i = std::int32_t(count) - 1; i >= apart; --i)
      values[i] = static_cast<T>(op(values[i - apart], values[i]));
}

/// The last value of scan_chunk(); `count` is at least 1.
template <class T, class Op>
BALLAST_HD T reduce_chunk(T* values, std::uint32_t count, Op const& op) {
  auto const last = std::int32_t(count) - 1;
  for (std::int32_t apart = 1; apart <= last; apart *= 2)
    for (std::int32_t i = last; i >= apart; i -= 2 * apart)
      values[i] = static_cast<T>(op(values[i - apart], values[i]));
  return values[last];
}

/// reduce() of a block of one thread.
template <class T, class F, class Op>
BALLAST_HD T reduce_alone(std::uint32_t n, T result, F&& f, Op const& op) {
  check_reduction<T, F>(n);
  if constexpr (any_order<T>) {
    for (std::uint32_t i = 0; i < n; ++i) result = static_cast<T>(op(result, static_cast<T>(f(i))));
  } else {
    T values[chunk_items];
    for (std::uint32_t first = 0; first < n; first += chunk_items) {
      auto const count = chunk_count(n, first);
      for (std::uint32_t i = 0; i < count; ++i) values[i] = static_cast<T>(f(first + i));
      result = static_cast<T>(op(result, reduce_chunk(values, count, op)));
    }
  }
  return result;
}

/// scan() of a block of one thread, and of a warp of one lane.
template <class T, class F, class Op, class Put>
BALLAST_HD T scan_alone(std::uint32_t n, T before, F&& f, Op const& op, Put&& put) {
  check_reduction<T, F>(n);
  if constexpr (any_order<T>) {
    for (std::uint32_t i = 0; i < n; ++i) {
      auto const value = static_cast<T>(f(i));
      put(i, before);
      before = static_cast<T>(op(before, value));
    }
  } else {
    T values[chunk_items];
    for (std::uint32_t first = 0; first < n; first += chunk_items) {
      auto const count = chunk_count(n, first);
      for (std::uint32_t i = 0; i < count; ++i) values[i] = static_cast<T>(f(first + i));
      scan_chunk(values, count, op);
      put(first, before);
      for (std::uint32_t i = 1; i < count; ++i) put(first + i, static_cast<T>(op(before, values[i - 1])));
      before = static_cast<T>(op(before, values[count - 1]));
    }
  }
  return before;
}

/// reduce() of a warp of one lane, which has all the strands.
template <class T, class F, class Op>
BALLAST_HD T reduce_strands_alone(std::uint32_t n, T initial, F&& f, Op const& op) {
  if (any_order<T> || n <= chunk_items) return reduce_alone(n, initial, f, op);
  check_reduction<T, F>(n);
  T strands[chunk_items];
  for (std::uint32_t i = 0; i < chunk_items; ++i) strands[i] = static_cast<T>(f(i));
  for (std::uint32_t first = chunk_items; first < n; first += chunk_items)
    for (std::uint32_t i = 0; i < chunk_count(n, first); ++i)
      strands[i] = static_cast<T>(op(strands[i], static_cast<T>(f(first + i))));
  return static_cast<T>(op(initial, reduce_chunk(strands, chunk_items, op)));
}

/// The warp of a block whose threads do not form warps: one lane, as the concept describes.
class lone_warp {
 public:
  BALLAST_HD explicit lone_warp(std::uint32_t index) : index_(index) {}

  BALLAST_HD std::uint32_t index() const { return index_; }
  BALLAST_HD std::uint32_t lane() const { return 0; }
  BALLAST_HD std::uint32_t lanes() const { return 1; }
  BALLAST_HD void sync() const {}
  BALLAST_HD bool any(bool value) const { return value; }
  BALLAST_HD bool all(bool value) const { return value; }
  template <class F>
  BALLAST_HD void for_each(std::uint32_t n, F&& f) const {
    check_items<F>(n);
    for (std::uint32_t i = 0; i < n; ++i) f(i);
  }
  template <class T, class F, class Op = plus>
  BALLAST_HD T reduce(std::uint32_t n, T initial, F&& f, Op op = {}) const {
    return reduce_strands_alone(n, initial, f, op);
  }
  template <class T, class F, class Op, class Put>
  BALLAST_HD T scan(std::uint32_t n, T initial, F&& f, Op op, Put&& put) const {
    return scan_alone(n, initial, f, op, put);
  }

 private:
  std::uint32_t index_;
};

#if defined(__CUDACC__)
inline constexpr std::uint32_t whole_warp = 0xffffffff;

__device__ inline std::uint32_t lane_of_warp() { return threadIdx.x % 32; }

/// Exchanges a value of any size: `shuffle` exchanges a word.
template <class T, class Shuffle>
__device__ T shuffled(T const& value, Shuffle const& shuffle) {
  std::uint32_t words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &value, sizeof(T));
#  pragma unroll
  for (auto& word : words) word = shuffle(word);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

template <class T>
__device__ T from_left(T const& value, std::uint32_t apart) {
  return shuffled(value, [&](std::uint32_t word) { return __shfl_up_sync(whole_warp, word, apart); });
}
template <class T>
__device__ T from_lane(T const& value, std::uint32_t lane) {
  return shuffled(value, [&](std::uint32_t word) { return __shfl_sync(whole_warp, word, int(lane)); });
}

/// Returns, on each of the first `count` lanes, the lane's value combined with those to its left, as
/// scan_chunk() does. All lanes of the warp call it together.
template <class T, class Op>
__device__ T scan_lanes(T value, std::uint32_t count, Op const& op) {
  std::uint32_t const lane = lane_of_warp();
#  pragma unroll
  for (std::uint32_t apart = 1; apart < chunk_items; apart *= 2) {
    T const left = from_left(value, apart);
    if (lane >= apart && lane < count) value = static_cast<T>(op(left, value));
  }
  return value;
}

/// Scans, with a whole warp, the items of a chunk that are below n, at least one; `i` is the lane's item.
template <class T, class F, class Op>
__device__ T scan_items(std::uint32_t n, std::uint32_t i, F& f, Op const& op) {
  return scan_lanes(i < n ? static_cast<T>(f(i)) : T(), chunk_count(n, i - lane_of_warp()), op);
}

/// reduce() of a block that is one warp.
template <class T, class F, class Op>
__device__ T reduce_by_warp(std::uint32_t n, T result, F& f, Op const& op) {
  for (std::uint32_t first = 0; first < n; first += chunk_items) {
    T const value = scan_items<T>(n, first + lane_of_warp(), f, op);
    result = static_cast<T>(op(result, from_lane(value, chunk_count(n, first) - 1)));
  }
  __syncwarp();
  return result;
}

/// scan() of a warp, and of a block that is one warp.
template <class T, class F, class Op, class Put>
__device__ T scan_by_warp(std::uint32_t n, T before, F& f, Op const& op, Put& put) {
  for (std::uint32_t first = 0; first < n; first += chunk_items) {
    T const value = scan_items<T>(n, first + lane_of_warp(), f, op);
    T const left = from_left(value, 1);
    auto const lane = lane_of_warp();
    if (first + lane < n) put(first + lane, lane == 0 ? before : static_cast<T>(op(before, left)));
    before = static_cast<T>(op(before, from_lane(value, chunk_count(n, first) - 1)));
  }
  __syncwarp();
  return before;
}

/// reduce() of a warp whose lanes have a strand each.
template <class T, class F, class Op>
__device__ T reduce_strands(std::uint32_t n, T initial, F& f, Op const& op) {
  if (n == 0) return initial;
  T value{};
  if (lane_of_warp() < n) value = static_cast<T>(f(lane_of_warp()));
  for (std::uint32_t i = lane_of_warp() + chunk_items; i < n; i += chunk_items)
    value = static_cast<T>(op(value, static_cast<T>(f(i))));
  auto const strands = chunk_count(n, 0);
  value = scan_lanes(value, strands, op);
  value = static_cast<T>(op(initial, from_lane(value, strands - 1)));
  __syncwarp();
  return value;
}

/// Shared memory in which warps exchange the results of their chunks. Only kernels that call this function
/// have the memory, and all types of one size and alignment share it.
template <std::size_t Bytes, std::size_t Alignment>
__device__ void* exchange_memory() {
  alignas(Alignment) __shared__ unsigned char bytes[Bytes];
  return bytes;
}

/// reduce() and scan() of a block of several warps. CUB is not used: its headers cost every user seconds, its
/// scan takes more registers and shared memory, and its order depends on the number of threads.
template <std::uint32_t Threads>
class warps_of_block {
 public:
  static_assert(Threads > 32 && Threads % 32 == 0);
  static constexpr std::uint32_t warps = Threads / 32;
  /// The chunks that a warp completes between two meetings of the block: more chunks mean fewer meetings.
  static constexpr std::uint32_t chunks_of_warp = 32 / warps;

  template <class T, class F, class Op>
  static __device__ T reduce(std::uint32_t n, T result, F& f, Op const& op) {
    constexpr std::uint32_t of_round = chunks_of_warp * Threads;
    T* const total = totals<T>();
    for (std::uint32_t start = 0; start < n; start += of_round) {
      auto const end = n - start < of_round ? n : start + of_round;
      for (std::uint32_t part = start; part < end; part += Threads)
        if (part + warp() * chunk_items < end) {
          T const value = scan_items<T>(end, part + rank(), f, op);
          if (is_last(end, part + rank())) total[(part - start) / chunk_items + warp()] = value;
        }
      __syncthreads();
      for (std::uint32_t chunk = 0; chunk * chunk_items < end - start; ++chunk)
        result = static_cast<T>(op(result, total[chunk]));
      __syncthreads();  // the next round or call overwrites memory that other threads may still read
    }
    return result;
  }

  template <class T, class F, class Op, class Put>
  static __device__ T scan(std::uint32_t n, T before, F& f, Op const& op, Put& put) {
    T* const total = totals<T>();
    for (std::uint32_t start = 0; start < n; start += Threads) {
      auto const i = start + rank();
      T left{}, mine{};
      if (start + warp() * chunk_items < n) {
        T const value = scan_items<T>(n, i, f, op);
        if (is_last(n, i)) total[warp()] = value;
        left = from_left(value, 1);
      }
      __syncthreads();
      for (std::uint32_t chunk = 0; chunk < warps && start + chunk * chunk_items < n; ++chunk) {
        if (chunk == warp()) mine = before;
        before = static_cast<T>(op(before, total[chunk]));
      }
      if (i < n) put(i, lane_of_warp() == 0 ? mine : static_cast<T>(op(mine, left)));
      __syncthreads();
    }
    return before;
  }

 private:
  static constexpr std::uint32_t max_rank = std::bit_ceil(Threads) - 1;  ///< the most that its bits allow

  // Masked so that the compiler knows which item of a per_item it is.
  static __device__ std::uint32_t rank() { return threadIdx.x & max_rank; }
  static __device__ std::uint32_t warp() { return rank() / chunk_items; }
  /// True if item i is the last of its chunk.
  static __device__ bool is_last(std::uint32_t n, std::uint32_t i) {
    return i < n && (i + 1 == n || lane_of_warp() == chunk_items - 1);
  }

  template <class T>
  static __device__ T* totals() {
    return static_cast<T*>(exchange_memory<chunks_of_warp * warps * sizeof(T), alignof(T)>());
  }
};

/// reduce() and scan() of a block of `Threads` threads, for cuda_block.
template <std::uint32_t Threads, class T, class F, class Op>
__device__ T reduce_of_block(std::uint32_t n, T initial, F& f, Op const& op) {
  check_reduction<T, F>(n);
  if constexpr (Threads == 32)
    return reduce_by_warp(n, initial, f, op);
  else
    return warps_of_block<Threads>::reduce(n, initial, f, op);
}
template <std::uint32_t Threads, class T, class F, class Op, class Put>
__device__ T scan_of_block(std::uint32_t n, T initial, F& f, Op const& op, Put& put) {
  check_reduction<T, F>(n);
  if constexpr (Threads == 32)
    return scan_by_warp(n, initial, f, op, put);
  else
    return warps_of_block<Threads>::scan(n, initial, f, op, put);
}

/// A warp of a GPU. All its lanes call sync(), any(), all(), reduce() and scan() together.
class cuda_warp {
 public:
  __device__ std::uint32_t index() const { return threadIdx.x / 32; }
  __device__ std::uint32_t lane() const { return lane_of_warp(); }
  __device__ std::uint32_t lanes() const { return 32; }
  __device__ void sync() const { __syncwarp(); }
  __device__ bool any(bool value) const { return __any_sync(whole_warp, value) != 0; }
  __device__ bool all(bool value) const { return __all_sync(whole_warp, value) != 0; }
  template <class F>
  __device__ void for_each(std::uint32_t n, F&& f) const {
    check_items<F>(n);
    for (std::uint32_t i = lane(); i < n; i += 32) f(i);
  }
  template <class T, class F, class Op = plus>
  __device__ T reduce(std::uint32_t n, T initial, F&& f, Op op = {}) const {
    check_reduction<T, F>(n);
    return reduce_strands(n, initial, f, op);
  }
  template <class T, class F, class Op, class Put>
  __device__ T scan(std::uint32_t n, T initial, F&& f, Op op, Put&& put) const {
    check_reduction<T, F>(n);
    return scan_by_warp(n, initial, f, op, put);
  }
};
#endif

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/device/kernel_traits.cuh"
#include "ballast/kernel.cuh"

namespace ballast::detail {

/// A task as workers see it: the 48 data bytes of a queue slot. The kernel is named by its id in the kernel
/// set.
struct task_record {
  static constexpr std::uint32_t words = 12;
  static constexpr std::uint32_t argument_bytes = max_bytes_in_task;
  static constexpr std::uint32_t halt = 127;  ///< the kernel id that ends a worker (Chen et al. 2010, HALT)
  /// The kernel id of a graph's round, whose tasks run in place of the record (graph_round).
  static constexpr std::uint32_t graph = 126;
  static constexpr std::uint32_t grid_bit = 128;  ///< a bit of data[11]: each block is a task of its own

  /// Ten argument words, the first block, count << 8 | grid_bit | kernel. If the kernel is_by_reference, the
  /// argument words hold the address of its members.
  std::uint32_t data[words];

  BALLAST_HD void const* members() const {
    void const* address;
    __builtin_memcpy(&address, data, sizeof address);
    return address;
  }
  BALLAST_HD void point_to(void const* members) { __builtin_memcpy(data, &members, sizeof members); }

  BALLAST_HD std::uint32_t kernel() const { return data[11] & 0x7f; }
  BALLAST_HD block_range range() const { return {data[10], data[11] >> 8}; }
  BALLAST_HD bool is_grid() const { return (data[11] & grid_bit) != 0; }
  BALLAST_HD bool is_graph() const { return kernel() == graph; }
  /// The number of tasks that the record represents.
  BALLAST_HD std::uint32_t tasks() const { return is_grid() ? range().count : 1; }
  /// The task that is block `i` of a grid task's range.
  BALLAST_HD task_record task_of_block(std::uint32_t i) const {
    task_record one = *this;
    one.describe({data[10] + i, 1}, kernel());
    return one;
  }
  /// The task without its first block; it must have several.
  BALLAST_HD task_record rest() const {
    task_record others = *this;
    others.describe({data[10] + 1, range().count - 1}, kernel());
    return others;
  }
  BALLAST_HD void describe(block_range range, std::uint32_t kernel) {
    data[10] = range.first;
    data[11] = range.count << 8 | kernel;
  }
};

/// "block 12", or "blocks 12 to 15".
inline std::string text_of(block_range const& range) {
  auto const first = std::to_string(range.first);
  return range.count <= 1 ? "block " + first
                          : "blocks " + first + " to " + std::to_string(range.first + range.count - 1);
}

/// In the memory that a task names, the members of a kernel begin at a multiple of this, and all bytes up to
/// the next multiple may be read. No kernel has a larger alignment.
inline constexpr std::uint32_t members_alignment = 64;

constexpr std::uint32_t members_stride(std::uint32_t bytes) {
  return (bytes + members_alignment - 1) / members_alignment * members_alignment;
}

/// Shared memory for the members of the largest kernel that is passed by reference; 0 if none is.
template <class... K>
constexpr std::uint32_t staged_bytes = max_of({std::uint32_t(0),
                                               (is_by_reference<K> ? members_stride(sizeof(K)) : 0)...});

/// The offset of the staged members in shared memory, after the kernels' scratch.
template <class... K>
constexpr std::uint32_t staged_at = staged_bytes<K...> == 0 ? 0
                                                            : members_stride(max_of({scratch_bytes<K>...}));

#if defined(__CUDACC__)
/// Copies the members; the calling thread takes every `step`th word. Bypasses the SM's L1, since the host may
/// have written the members after the kernel began.
template <class K>
__device__ void copy_members(task_record const& task, std::uint64_t* to, std::uint32_t from,
                             std::uint32_t step) {
  auto* const there = static_cast<std::uint64_t*>(const_cast<void*>(task.members()));
  for (std::uint32_t i = from; i < (sizeof(K) + 7) / 8; i += step)
    to[i] = atomic_ref<std::uint64_t, scope::system>(array_ref<std::uint64_t>(there)[i]).load_relaxed();
}
#endif

/// Calls f with the kernel of a task that holds the address of its members. All threads of a block call it:
/// on a GPU they copy the members into shared memory together, at `staged_at`, so that they cross the bus
/// once. If each thread runs a task of its own, it copies them for itself.
template <class K, class F>
BALLAST_HD void call_with_members(task_record const& task, [[maybe_unused]] std::uint32_t staged_at, F&& f) {
#if BALLAST_ON_GPU
  if constexpr (K::threads == 1) {
    alignas(members_alignment) std::uint64_t words[(sizeof(K) + 7) / 8];
    copy_members<K>(task, words, 0, 1);
    f(reinterpret_cast<K const&>(words));
  } else {
    extern __shared__ __align__(128) unsigned char ballast_scratch[];
    auto* const words = reinterpret_cast<std::uint64_t*>(ballast_scratch + staged_at);
    copy_members<K>(task, words, threadIdx.x, K::threads);
    __syncthreads();
    f(*reinterpret_cast<K const*>(words));
  }
#else
  f(*static_cast<K const*>(task.members()));
#endif
}

}  // namespace ballast::detail

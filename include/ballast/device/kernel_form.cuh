// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ballast/device/array_ref.cuh"
#include "ballast/device/qualifiers.cuh"

namespace ballast::inline device {

/// A kernel without a `scratch` struct has this one.
struct no_scratch {};

template <class K>
struct scratch_type {
  using type = no_scratch;
};
template <class K>
requires requires { typename K::scratch; }
struct scratch_type<K> {
  using type = typename K::scratch;
};
/// K::scratch if K declares it: shared memory of a block on a GPU, a buffer of the worker on the host.
template <class K>
using scratch_of = typename scratch_type<K>::type;

template <class K>
constexpr std::uint32_t scratch_bytes = std::is_empty_v<scratch_of<K>> ? 0
                                                                       : std::uint32_t(sizeof(scratch_of<K>));

/// The last template argument of a `__global__` function: the dynamic shared memory that it is launched with.
/// Nothing else in PTX tells that, and tests/limits reads it there.
template <std::uint32_t Bytes>
struct launched_with {};

/// How many blocks of K should fit on an SM at once: K::blocks_per_multiprocessor if K declares it, else 0,
/// no wish. The compiler keeps the registers low enough for it, alone and in a list.
template <class K>
constexpr int requested_blocks = 0;
template <class K>
requires requires { K::blocks_per_multiprocessor; }
constexpr int requested_blocks<K> = K::blocks_per_multiprocessor;

/// What the launch bounds of a kernel of so many threads say that runs any of K.
template <class... K>
constexpr int launch_bound_blocks = std::max({1, requested_blocks<K>...});

/// The same for a kernel that would be given more than 64 registers (some more, where Threads does not divide
/// 1024) though nobody has a wish: because it also has a server, a function that is called, whereupon ptxas
/// lets every thread have all that the bounds allow; or where more workers hide more waiting, as in pools.
template <std::uint32_t Threads, class... K>
constexpr int capped_launch_bound_blocks = std::max({0, requested_blocks<K>...}) != 0
                                               ? launch_bound_blocks<K...>
                                               : std::max(1, int(1024 / Threads));

/// What an SM of the GPUs that are compiled for holds at once (table "Technical Specifications per Compute
/// Capability" of CUDA's programming guide, tried with ptxas 13.0).
struct sm_capacity {
  int threads, blocks;
};
#if !defined(__CUDA_ARCH__)
inline constexpr sm_capacity target_sm_capacity{2048, 32};
#elif __CUDA_ARCH__ < 800
inline constexpr sm_capacity target_sm_capacity{1024, 16};
#elif __CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 890
inline constexpr sm_capacity target_sm_capacity{1536, 16};
#elif __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1100
inline constexpr sm_capacity target_sm_capacity{1536, 24};
#else
inline constexpr sm_capacity target_sm_capacity{2048, 32};
#endif

/// So many blocks of Threads threads, or as many as an SM holds: ptxas ignores launch bounds that ask for
/// more and gives the kernel all registers. For launch bounds only: differs between the GPUs of one build.
template <std::uint32_t Threads, int Blocks>
constexpr int clamped_launch_bound = std::min({Blocks, target_sm_capacity.blocks,
                                               target_sm_capacity.threads / int(Threads)});

/// What every kernel is: a trivially copyable functor whose members are its arguments, with
/// `static constexpr int threads` (of a block on a GPU: a multiple of 32, at most 1024; or 1, for kernels
/// that only pools run) and `template <class Block> BALLAST_HD void operator()(Block& block) const`.
template <class K>
concept kernel_form = std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<scratch_of<K>> &&
    (K::threads == 1 || (K::threads >= 32 && K::threads <= 1024 && K::threads % 32 == 0));

/// These say one by one why K is no kernel of a list, which the concept does not. The compiler shows the
/// numbers with them.
template <class K, auto Threads>
struct kernel_of_threads {
  static_assert(Threads == 1 || (Threads >= 32 && Threads <= 1024 && Threads % 32 == 0),
                "K::threads is not legal: 1, or a multiple of 32 up to 1024");
};
template <class K, std::size_t Bytes, std::size_t Limit>
struct kernel_of_bytes {
  static_assert(Bytes <= Limit, "K has more bytes of members than this list allows: list it as indirect<K>");
};
template <class K, std::size_t Limit>
constexpr bool check_kernel() {
  static_assert(std::is_trivially_copyable_v<K>, "K is not trivially copyable");
  static_assert(std::is_trivially_copyable_v<scratch_of<K>>, "K::scratch is not trivially copyable");
  constexpr bool declares_threads = requires { K::threads; };
  static_assert(declares_threads, "K declares no `static constexpr int threads`");
  if constexpr (declares_threads) (void)sizeof(kernel_of_threads<K, K::threads>);
  return sizeof(kernel_of_bytes<K, sizeof(K), Limit>) != 0;
}
/// For the macros that compile lists: true, or the first reason why one of them is no kernel of at most
/// `Limit` bytes.
template <std::size_t Limit, class... K>
constexpr bool check_kernels() {
  return (check_kernel<K, Limit>() && ...);
}

/// A kernel of any size as a task of 8 bytes: the arguments stay in memory that the device addresses, outlive
/// the task, and are read when it runs. List it as indirect<K>.
template <kernel_form K>
struct indirect {
  static constexpr int threads = K::threads;
  static constexpr int blocks_per_multiprocessor = requested_blocks<K>;
  using scratch = scratch_of<K>;

  array_ref<K const> arguments;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    K const kernel = *arguments.data();
    kernel(block);
  }
};

}  // namespace ballast::inline device

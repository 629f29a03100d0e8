// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include "ballast/block.cuh"
#include "ballast/version.hpp"

namespace ballast {
class launch_extent;

namespace detail {

/// std::max and std::min of a list: including <algorithm> takes longer than compiling the rest of a small
/// kernel.
template <class T>
constexpr T max_of(std::initializer_list<T> all) {
  T most = *all.begin();
  for (T const& one : all)
    if (most < one) most = one;
  return most;
}
template <class T>
constexpr T min_of(std::initializer_list<T> all) {
  T least = *all.begin();
  for (T const& one : all)
    if (one < least) least = one;
  return least;
}

/// A type with the three counts of an extent, such as CUDA's dim3.
template <class T>
concept has_three_counts = !std::same_as<T, launch_extent> && requires(T const& counts) {
  requires std::integral<std::remove_cvref_t<decltype(counts.x)>>;
  requires std::integral<std::remove_cvref_t<decltype(counts.y)>>;
  requires std::integral<std::remove_cvref_t<decltype(counts.z)>>;
};

}  // namespace detail

/// A number of blocks or threads in each dimension. Made implicitly from one to three counts, or from a type
/// that has_three_counts. A count that is negative or exceeds 32 bits becomes 2^32 - 1, which no launch
/// accepts.
class launch_extent {
 public:
  constexpr launch_extent() = default;
  /// Makes an extent from one to three counts of any integer types.
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr launch_extent(X in_x, Y in_y = 1, Z in_z = 1)
      : x(counted(in_x)), y(counted(in_y)), z(counted(in_z)) {}
  /// Makes an extent from CUDA's dim3, or from another type that has_three_counts.
  template <detail::has_three_counts Counts>
  constexpr launch_extent(Counts const& counts) : launch_extent(counts.x, counts.y, counts.z) {}

  /// Equal in all three counts.
  constexpr bool operator==(launch_extent const&) const = default;
  /// The place of block `index` in a grid of this extent, as CUDA's blockIdx: x runs fastest. No
  /// count may be 0.
  BALLAST_HD constexpr launch_extent place_of(std::uint32_t index) const {
    launch_extent at;
    at.x = index % x;
    at.y = index / x % y;
    at.z = index / x / y;
    return at;
  }

  std::uint32_t x = 1;  ///< along x, where indices run fastest
  std::uint32_t y = 1;  ///< along y
  std::uint32_t z = 1;  ///< along z

 private:
  template <std::integral Count>
  static constexpr std::uint32_t counted(Count count) {
    using word = std::numeric_limits<std::uint32_t>;
    return std::in_range<std::uint32_t>(count) ? std::uint32_t(count) : (word::max)();
  }
};

/// The values between <<< and >>> in a launch: blocks, threads of a block, and dynamic shared memory of a
/// block. The launch checks which values the device allows.
struct launch_shape {
  /// Blocks of the grid.
  launch_extent grid, block;  ///< threads of a block
  /// Dynamic shared memory of a block, in bytes.
  std::uint32_t shared_bytes = 0;

  /// Equal in all three members.
  constexpr bool operator==(launch_shape const&) const = default;
};

#if !defined(__GXX_RTTI)
#  error "ballast needs RTTI, since kernels are known by their types: compile without -fno-rtti"
#endif

/// The name of the type as written in C++.
template <class T>
std::string type_name() {
  char* const name = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  std::string const copy = name != nullptr ? name : typeid(T).name();
  std::free(name);
  return copy;
}

/// Identifies a kernel type at run time, across translation units of one program.
using kernel_key = void const*;

namespace detail {

/// Writes the name of one type.
using type_namer = std::string (*)();
/// The object whose address is a kernel type's key_of; one for each type in the whole program.
template <class K>
struct kernel_tag {
  /// Writes the type's name, so that name_of() needs only the key.
  static constexpr type_namer name = &type_name<K>;
};
}  // namespace detail

/// The key of a kernel type, the same everywhere in the program.
template <class K>
constexpr kernel_key key_of = &detail::kernel_tag<K>::name;

/// The name of the type with this key_of, as written in C++.
inline std::string name_of(kernel_key key) { return (*static_cast<detail::type_namer const*>(key))(); }

/// The form of every kernel: a trivially copyable functor whose members are its arguments, with `static
/// constexpr int threads` (of a block on a GPU: a multiple of 32, at most 1024; or 1, for kernels that only
/// pools run) and `template <class Block> BALLAST_HD void operator()(Block& block) const`. A kernel may also
/// have `template <class Block> BALLAST_HD void prepare(Block& block) const`, which each thread of a block
/// calls just before operator(), also where queues and pools run the kernel. In a job_sequence on a GPU of
/// compute capability 9.0 or later it runs while the previous job still does, and in a task_graph before the
/// wait for the task's predecessors. So it reads only members and what no job or task of these writes, writes
/// only block.scratch(), and ends without a sync(). Neither it nor operator() reads by __ldg() what these
/// write: ptxas lifts such loads over the wait.
template <class K>
concept kernel_form = std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<scratch_of<K>> &&
    (K::threads == 1 || (K::threads >= 32 && K::threads <= 1024 && K::threads % 32 == 0));

namespace detail {

/// An exception that a kernel of a set threw on CPU cores, with the kernel's name and the block. The code
/// that runs the kernel knows the set's name, and may know the task.
class BALLAST_API kernel_exception : public std::runtime_error {
 public:
  /// `kernel` is the type as C++ writes it, `place` as "block 13", `what` the original exception's text.
  kernel_exception(std::string kernel, std::string place, char const* what)
      : std::runtime_error(what), kernel_(std::move(kernel)), place_(std::move(place)) {}
  /// The kernel's type, as C++ writes it.
  std::string const& kernel() const noexcept { return kernel_; }
  /// The block, and of which task it was if that is known.
  std::string const& place() const noexcept { return place_; }

 private:
  std::string kernel_, place_;
};

/// Throws the exception that is being handled as one of kernel K.
template <class K>
[[noreturn]] void rethrow_of_kernel(std::uint32_t block) {
  auto const place = "block " + std::to_string(block);
  try {
    throw;
  } catch (std::exception const& failure) {
    throw kernel_exception(type_name<K>(), place, failure.what());
  } catch (...) { throw kernel_exception(type_name<K>(), place, "something that is not a std::exception"); }
}

template <class K, class Block>
concept has_prepare = requires(K const& kernel, Block& block) {
  kernel.prepare(block);
};

/// Calls the kernel's prepare() for one block, if there is one.
template <class K, class Block>
BALLAST_HD void prepare_block(K const& kernel, Block& block) {
  if constexpr (has_prepare<K, Block>) {
    kernel.prepare(block);
  } else {
    constexpr bool is_declared = requires { &K::template prepare<Block>; };
    static_assert(!is_declared, "K::prepare() cannot be called: it is const and takes the block alone");
  }
}

struct no_wait {
  BALLAST_HD bool operator()() const { return true; }
};

/// Calls the kernel for one block, after its prepare(). All threads of the block call `wait` in between if
/// there is one; false: the kernel was not called.
template <class K, class Block, class Wait = no_wait>
BALLAST_HD bool call_kernel(K const& kernel, Block& block, Wait const& wait = {}) {
  prepare_block(kernel, block);
  if constexpr (has_prepare<K, Block>)
    if (!wait()) return false;
  kernel(block);
  return true;
}

/// Like call_kernel(). On the host throws kernel_exception if the kernel throws.
template <class K, class Block, class Wait = no_wait>
BALLAST_HD bool invoke_kernel(K const& kernel, Block& block, Wait const& wait = {}) {
#if BALLAST_ON_GPU
  return call_kernel(kernel, block, wait);
#else
  try {
    return call_kernel(kernel, block, wait);
  } catch (...) { rethrow_of_kernel<K>(block.index()); }
#endif
}

/// The last template argument of a `__global__` function: the dynamic shared memory of its launch.
/// tests/limits reads it there, since nothing else in PTX shows it.
template <std::uint32_t Bytes>
struct launched_with {};

/// The number of K's blocks that should fit on an SM at the same time: K::blocks_per_multiprocessor if K
/// declares it, else 0, which means no requirement. The compiler limits the registers accordingly, alone and
/// in a set.
template <class K>
constexpr int requested_blocks = 0;
/// The number that the kernel declares.
template <class K>
requires requires { K::blocks_per_multiprocessor; }
constexpr int requested_blocks<K> = K::blocks_per_multiprocessor;

/// The minimum blocks per SM in the launch bounds of a kernel that runs any of K.
template <class... K>
constexpr int launch_bound_blocks = detail::max_of({1, requested_blocks<K>...});

/// Like launch_bound_blocks, but limits a kernel for which no K has a requirement to 64 registers a thread
/// (some more where Threads does not divide 1024). For kernels that call a server function, where ptxas would
/// otherwise give every thread all registers that the bounds allow; and for kernels where more workers hide
/// more latency, as in pools.
template <std::uint32_t Threads, class... K>
constexpr int capped_launch_bound_blocks = detail::max_of({0, requested_blocks<K>...}) != 0
                                               ? launch_bound_blocks<K...>
                                               : detail::max_of({1, int(1024 / Threads)});

/// The threads and blocks that an SM of the target GPUs holds at the same time (table "Technical
/// Specifications per Compute Capability" of CUDA's programming guide, tried with ptxas 13.0).
struct sm_capacity {
  /// The most threads at a time.
  int threads, blocks;  ///< the most blocks at a time
};
#if !defined(__CUDA_ARCH__)
/// The capacity of the GPU for which device code is being compiled; a large one on the host.
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

/// `Blocks`, or as many blocks of `Threads` threads as an SM holds if that is fewer: ptxas ignores launch
/// bounds that ask for more and gives the kernel all registers. For launch bounds only: the value differs
/// between the GPUs of one build.
template <std::uint32_t Threads, int Blocks>
constexpr int clamped_launch_bound = detail::min_of({Blocks, target_sm_capacity.blocks,
                                                     target_sm_capacity.threads / int(Threads)});

/// The following templates each report one reason why K cannot be a kernel of a set; the concept would report
/// none. The compiler's message shows the numbers.
template <class K, auto Threads>
struct kernel_of_threads {
  static_assert(Threads == 1 || (Threads >= 32 && Threads <= 1024 && Threads % 32 == 0),
                "K::threads is not legal: 1, or a multiple of 32 up to 1024");
};
template <class K, std::size_t Bytes, std::size_t Limit>
struct kernel_of_bytes {
  static_assert(Bytes <= Limit, "K has more bytes of members than this set allows: list it as indirect<K>");
};
/// check_kernels() for one kernel.
template <class K, std::size_t Limit>
constexpr bool check_kernel() {
  static_assert(std::is_trivially_copyable_v<K>,
                "K is not trivially copyable: its members travel as bytes, so give it array_ref and numbers");
  static_assert(
      std::is_trivially_copyable_v<scratch_of<K>>,
      "K::scratch is not trivially copyable: it is raw shared memory, so give it arrays and numbers");
  static_assert(alignof(K) <= 64, "K is aligned to more than 64 bytes, which no launch provides");
  constexpr bool declares_threads = requires { typename std::integral_constant<int, K::threads>; };
  static_assert(declares_threads, "K declares no `static constexpr int threads`");
  if constexpr (declares_threads) (void)sizeof(kernel_of_threads<K, K::threads>);
  return sizeof(kernel_of_bytes<K, sizeof(K), Limit>) != 0;
}
/// True if a block of K creates tasks, which only a pool stores.
template <class K>
concept declares_spawns = requires {
  K::spawns;
};

/// For the macros that compile sets: true if every K is a kernel of at most `Limit` bytes; otherwise a
/// static_assert fails with the first reason.
template <std::size_t Limit, class... K>
constexpr bool check_kernels() {
  return (check_kernel<K, Limit>() && ...);
}

/// Runs every block of a task, one after another, on the calling block of threads. Ends with a sync, so that
/// the scratch can be reused. `place` is the second argument of Block's constructor: for a host_block a
/// worker_place or its scratch. `wait` as in call_kernel(), before each block; false: blocks were left out.
template <template <class> class Block, class K, class Place, class Wait = no_wait>
BALLAST_HD bool run_blocks(K const& kernel, block_range range, Place place, Wait const& wait = {}) {
  Block<K> block(range, place);
  for (std::uint32_t i = 0; i < range.count; ++i) {
    block.move_to(range.first + i);
    if (!invoke_kernel(kernel, block, wait)) return false;
    block.sync();
  }
  return true;
}

}  // namespace detail

/// Wraps a kernel of any size as a task of 8 bytes: the arguments stay in memory that the device addresses,
/// must outlive the task, and are read when it runs. List the kernel as indirect<K>. Needed only for tasks
/// that are created on the device with more than 40 bytes, for members over 4000 bytes, and for arguments
/// that many tasks share in the device's memory.
template <kernel_form K>
struct indirect {
  /// K's own number of threads.
  static constexpr int threads = K::threads;
  /// K's own number of blocks, or 0.
  static constexpr int blocks_per_multiprocessor = detail::requested_blocks<K>;
  /// K's own scratch.
  using scratch = scratch_of<K>;

  /// The kernel with its members, in memory that the device addresses.
  array_ref<K const> arguments;

  /// Copies the kernel out of memory and runs it.
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    K const kernel = *arguments.data();
    detail::call_kernel(kernel, block);
  }
};

///@{
/// a * b + c with one rounding on a GPU and two on the host, wherever it is compiled. For kernels whose
/// results must not depend on which launch runs them: compilers fuse differently from one launch to the next,
/// so the files of such kernels forbid it (--fmad=false, -ffp-contract=off) and request fusion with this
/// function.
BALLAST_HD inline float fma_on_gpu(float a, float b, float c) {
#if BALLAST_ON_GPU
  return __fmaf_rn(a, b, c);
#else
  return a * b + c;
#endif
}
BALLAST_HD inline double fma_on_gpu(double a, double b, double c) {
#if BALLAST_ON_GPU
  return __fma_rn(a, b, c);
#else
  return a * b + c;
#endif
}
///@}

///@{
/// 1 / sqrt(a); on a GPU the instruction for it.
BALLAST_HD inline float inverse_square_root(float a) {
#if BALLAST_ON_GPU
  return rsqrtf(a);
#else
  return 1.0f / std::sqrt(a);
#endif
}
BALLAST_HD inline double inverse_square_root(double a) {
#if BALLAST_ON_GPU
  return rsqrt(a);
#else
  return 1.0 / std::sqrt(a);
#endif
}
///@}

/// The first parameter of a plain `__global__` kernel that runs as a job: the start of this task in the job's
/// grid. Use block() instead of blockIdx, and thread() for the thread's index in the whole grid.
struct grid_slice {
  launch_extent first;  ///< first block of the task
  launch_extent grid;   ///< blocks of the job

#if defined(__CUDACC__)
  /// The value of blockIdx as in a launch of the whole job.
  __device__ launch_extent block() const {
    launch_extent at = first;
    at.x += blockIdx.x;
    at.y += blockIdx.y;
    at.z += blockIdx.z;
    return at;
  }
  /// The thread's index in the grid of the whole job.
  __device__ launch_extent thread() const {
    launch_extent at = block();
    at.x = at.x * blockDim.x + threadIdx.x;
    at.y = at.y * blockDim.y + threadIdx.y;
    at.z = at.z * blockDim.z + threadIdx.z;
    return at;
  }
#endif
};
static_assert(std::is_trivially_copyable_v<grid_slice>);

}  // namespace ballast

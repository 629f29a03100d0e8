// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "ballast/detail/device/block_reduce.cuh"
#include "ballast/detail/device/qualifiers.cuh"

namespace ballast {
namespace detail {

/// std::max and std::min of a list: <algorithm> takes longer to compile than the rest of a small kernel.
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

}  // namespace detail

/// Which threads access a word: those of one device, or also other devices and the host. All accesses to one
/// word must use one scope: mixing scopes on a word is a data race.
enum class scope { device, system };

/// A pointer to T in global memory (device memory or mapped host memory): 8 bytes, trivially copyable, not
/// owning. To the compiler a pointer that travels inside a task is generic; every access here asserts that it
/// is global, so that loads and stores need no generic address. Bounds are not checked.
template <class T>
class array_ref {
 public:
  array_ref() = default;
  /// Refers to elements from `first` on; null is legal as long as no element is touched.
  BALLAST_HD explicit array_ref(T* first) : first_(first) {}

  /// The element of that index, which is not checked.
  BALLAST_HD T& operator[](std::size_t index) const { return data()[index]; }
  /// The address of the first element.
  BALLAST_HD T* data() const {
#if BALLAST_ON_GPU
    __builtin_assume(__isGlobal(first_));
#endif
    return first_;
  }
  /// The elements from `offset` on.
  BALLAST_HD array_ref from(std::size_t offset) const { return array_ref(first_ + offset); }
  /// Whether it refers to memory at all.
  BALLAST_HD explicit operator bool() const { return first_ != nullptr; }

 private:
  T* first_ = nullptr;
};

class launch_extent;

/// A type with the three counts of an extent, such as CUDA's dim3.
template <class T>
concept has_three_counts = !std::same_as<T, launch_extent> && requires(T const& counts) {
  requires std::integral<std::remove_cvref_t<decltype(counts.x)>>;
  requires std::integral<std::remove_cvref_t<decltype(counts.y)>>;
  requires std::integral<std::remove_cvref_t<decltype(counts.z)>>;
};

/// How many blocks or threads there are in each dimension. Made implicitly from one to three counts, or from
/// a type that has_three_counts. A count that is negative or exceeds 32 bits becomes 2^32 - 1, which no
/// launch accepts.
class launch_extent {
 public:
  constexpr launch_extent() = default;
  /// From one to three counts of any integer types.
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr launch_extent(X in_x, Y in_y = 1, Z in_z = 1)
      : x(counted(in_x)), y(counted(in_y)), z(counted(in_z)) {}
  /// From CUDA's dim3, and whatever else has_three_counts.
  template <has_three_counts Counts>
  constexpr launch_extent(Counts const& counts) : launch_extent(counts.x, counts.y, counts.z) {}

  /// Equal in all three counts.
  constexpr bool operator==(launch_extent const&) const = default;

  std::uint32_t x = 1;  ///< along x, where indices run fastest
  std::uint32_t y = 1;  ///< along y
  std::uint32_t z = 1;  ///< along z

 private:
  template <std::integral Count>
  static constexpr std::uint32_t counted(Count count) {
    using word = std::numeric_limits<std::uint32_t>;
    return std::in_range<std::uint32_t>(count) ? std::uint32_t(count) : word::max();
  }
};

/// What stands between <<< and >>> in a launch: blocks, threads of a block, and the dynamic shared memory of
/// a block. The launch checks which values the device allows.
struct launch_shape {
  /// Blocks of the grid.
  launch_extent grid, block;  ///< threads of a block
  /// Dynamic shared memory of a block, in bytes.
  std::uint32_t shared_bytes = 0;

  /// Equal in all three members.
  constexpr bool operator==(launch_shape const&) const = default;
};

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

/// Writes the name of one type.
using type_namer = std::string (*)();
/// The object whose address is the key_of a kernel; one for each type in the whole program.
template <class K>
struct kernel_tag {
  /// Writes the type's name, so that name_of() needs nothing but the key.
  static constexpr type_namer name = &type_name<K>;
};
/// The key of a kernel type, which is the same wherever it is asked for.
template <class K>
constexpr kernel_key key_of = &kernel_tag<K>::name;

/// The name of the type whose key_of this is, as written in C++.
inline std::string name_of(kernel_key key) { return (*static_cast<type_namer const*>(key))(); }

/// An exception that a kernel of a set threw on CPU cores, with the kernel's name: the code that runs the
/// kernel has the name of the set.
class kernel_exception : public std::runtime_error {
 public:
  /// `kernel` is the type as C++ writes it, `what` what its exception said.
  kernel_exception(std::string kernel, char const* what)
      : std::runtime_error(what), kernel_(std::move(kernel)) {}
  /// The kernel's type, as C++ writes it.
  std::string const& kernel() const noexcept { return kernel_; }

 private:
  std::string kernel_;
};

/// Calls the kernel for one block. On the host throws kernel_exception if the kernel throws.
template <class K, class Block>
BALLAST_HD void invoke_kernel(K const& kernel, Block& block) {
#if BALLAST_ON_GPU
  kernel(block);
#else
  try {
    kernel(block);
  } catch (std::exception const& failure) {
    throw kernel_exception(type_name<K>(), failure.what());
  } catch (...) { throw kernel_exception(type_name<K>(), "something that is not a std::exception"); }
#endif
}

/// A kernel without a `scratch` struct has this one.
struct no_scratch {};

/// What scratch_of looks up: no_scratch, unless K declares its own.
template <class K>
struct scratch_type {
  /// The struct that stands for none.
  using type = no_scratch;
};
/// For kernels that declare a `scratch`.
template <class K>
requires requires { typename K::scratch; }
struct scratch_type<K> {
  /// The kernel's own struct.
  using type = typename K::scratch;
};
/// K::scratch if K declares it: shared memory of a block on a GPU, a buffer of the worker on the host.
template <class K>
using scratch_of = typename scratch_type<K>::type;

/// The size of scratch_of<K>; 0 for a struct without members.
template <class K>
constexpr std::uint32_t scratch_bytes = std::is_empty_v<scratch_of<K>> ? 0
                                                                       : std::uint32_t(sizeof(scratch_of<K>));

/// The last template argument of a `__global__` function: the dynamic shared memory that it is launched with.
/// Nothing else in PTX shows it, and tests/limits reads it there.
template <std::uint32_t Bytes>
struct launched_with {};

/// How many blocks of K should fit on an SM at the same time: K::blocks_per_multiprocessor if K declares it,
/// else 0, which means no requirement. The compiler limits the registers accordingly, alone and in a set.
template <class K>
constexpr int requested_blocks = 0;
/// For kernels that declare it.
template <class K>
requires requires { K::blocks_per_multiprocessor; }
constexpr int requested_blocks<K> = K::blocks_per_multiprocessor;

/// The minimum blocks per SM in the launch bounds of a kernel that runs any of K.
template <class... K>
constexpr int launch_bound_blocks = detail::max_of({1, requested_blocks<K>...});

/// As launch_bound_blocks, but limits a kernel for which no K has a requirement to 64 registers a thread
/// (some more where Threads does not divide 1024). It is for kernels that contain a server, a function that
/// is called, for which ptxas would give every thread all registers that the bounds allow; and for kernels
/// where more workers hide more waiting, as in pools.
template <std::uint32_t Threads, class... K>
constexpr int capped_launch_bound_blocks = detail::max_of({0, requested_blocks<K>...}) != 0
                                               ? launch_bound_blocks<K...>
                                               : detail::max_of({1, int(1024 / Threads)});

/// The threads and blocks that an SM of the target GPUs holds at the same time (table "Technical
/// Specifications per Compute Capability" of CUDA's programming guide, tried with ptxas 13.0).
struct sm_capacity {
  /// The most that are on it at a time.
  int threads, blocks;  ///< the most that are on it at a time
};
#if !defined(__CUDA_ARCH__)
/// That of the GPU for which device code is being compiled; a large one on the host.
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

/// The form of every kernel: a trivially copyable functor whose members are its arguments, with `static
/// constexpr int threads` (of a block on a GPU: a multiple of 32, at most 1024; or 1, for kernels that only
/// pools run) and `template <class Block> BALLAST_HD void operator()(Block& block) const`.
template <class K>
concept kernel_form = std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<scratch_of<K>> &&
    (K::threads == 1 || (K::threads >= 32 && K::threads <= 1024 && K::threads % 32 == 0));

/// The following templates report one by one why K cannot be a kernel of a set, which the concept does not.
/// The compiler's message shows the numbers.
template <class K, auto Threads>
struct kernel_of_threads {
  static_assert(Threads == 1 || (Threads >= 32 && Threads <= 1024 && Threads % 32 == 0),
                "K::threads is not legal: 1, or a multiple of 32 up to 1024");
};
template <class K, std::size_t Bytes, std::size_t Limit>
struct kernel_of_bytes {
  static_assert(Bytes <= Limit, "K has more bytes of members than this set allows: list it as indirect<K>");
};
/// For check_kernels: one kernel.
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
/// Whether a block of K creates tasks, which only a pool keeps.
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

/// Wraps a kernel of any size as a task of 8 bytes: the arguments stay in memory that the device addresses,
/// must outlive the task, and are read when it runs. List the kernel as indirect<K>. For tasks that are
/// created on the device and need more than 40 bytes, for more than 4000, and for arguments that many tasks
/// share in the device's memory; the host submits other kernels as they are.
template <kernel_form K>
struct indirect {
  /// As K has them.
  static constexpr int threads = K::threads;
  /// As K wishes, or 0.
  static constexpr int blocks_per_multiprocessor = requested_blocks<K>;
  /// As K has it.
  using scratch = scratch_of<K>;

  /// The kernel with its members, in memory that the device addresses.
  array_ref<K const> arguments;

  /// Copies the kernel out of memory and runs it.
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    K const kernel = *arguments.data();
    kernel(block);
  }
};

/// A compile-time number of items: `block.for_each(items<256>, f)` needs no comparison on a GPU if the
/// block's threads divide the number, so that a loop around it can be unrolled.
template <std::uint32_t N>
struct item_count {
  /// As a number, for what takes any number of items.
  BALLAST_HD constexpr operator std::uint32_t() const { return N; }
};
/// What for_each takes in place of a number.
template <std::uint32_t N>
inline constexpr item_count<N> items{};

/// For reduce() and scan(): the sum.
struct plus {
  /// a + b
  template <class T>
  BALLAST_HD T operator()(T const& a, T const& b) const {
    return static_cast<T>(a + b);
  }
};
/// For reduce() and scan(): the smaller one.
struct minimum {
  /// b if it is less than a, else a
  template <class T>
  BALLAST_HD T operator()(T const& a, T const& b) const {
    return b < a ? b : a;
  }
};
/// For reduce() and scan(): the greater one.
struct maximum {
  /// b if it is greater than a, else a
  template <class T>
  BALLAST_HD T operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};

/// A warp is the threads of a block that a GPU runs in step: its lanes. On CPU cores, and where kernels have
/// one thread, it has one lane. What a kernel may ask of block.warp():
///   index()    this warp among the block's warps(), from 0
///   lane(), lanes()              this thread among the warp's; 32 on a GPU
///   sync()     every lane of the warp waits for the others; their writes are visible after it
///   any(b), all(b)               whether any lane, or each, has `true`, known to all lanes
///   for_each(n, f)     as that of a block, divided among the lanes of this warp alone
///   reduce(n, initial, f, op), scan(n, initial, f, op, put)   as those of a block, by this warp alone: the
///                      other warps need not call. `op` of reduce() must also commute. The same bits on a
///                      GPU and on cores; reduce() of a warp and of a block combine in unlike orders.
template <class W>
concept warp = requires(W w, std::uint32_t n, std::uint32_t (*f)(std::uint32_t),
                        void (*put)(std::uint32_t, std::uint32_t)) {
  { w.index() } -> std::same_as<std::uint32_t>;
  { w.lane() } -> std::same_as<std::uint32_t>;
  { w.lanes() } -> std::same_as<std::uint32_t>;
  { w.any(true) } -> std::same_as<bool>;
  { w.all(true) } -> std::same_as<bool>;
  w.sync();
  w.for_each(n, [](std::uint32_t) {});
  { w.reduce(n, n, f) } -> std::same_as<std::uint32_t>;
  { w.reduce(n, n, f, maximum()) } -> std::same_as<std::uint32_t>;
  { w.scan(n, n, f, plus(), put) } -> std::same_as<std::uint32_t>;
};

/// A Block runs one block of a kernel. What a kernel's operator() may ask of it:
///   index()    the logical index of this block: first + 0 .. count - 1 of its task, wherever it runs
///   first(), count()   the task's block range
///   rank(), size()     this thread among the block's threads; a host block has one thread
///   sync()     every thread of the block waits for the others; their writes are visible after it
///   for_each(n, f)     calls f(i) for i in [0, n), each exactly once, divided among the threads; no sync
///                      inside
///   for_each(items<N>, f)        for_each(N, f) for a compile-time N
///   for_each(rows, columns, f)   calls f(row, column) for each pair, exactly once, columns innermost
///   scratch()          the kernel's `scratch` struct, shared by the block's threads; contents undefined at
///                      the start
///   worker(), workers()          which worker runs this block, from 0, and how many there are. Tasks of a
///                      pool or queue that run at the same time on one device have different worker(), all
///                      below workers(); so have blocks of one launch, where a worker is a block of the
///                      grid. All threads of a block have the same. See docs/pool.md.
///   reduce(n, initial, f, op)    `initial` combined with f(i) for i in [0, n) by op(a, b), by default their
///                      sum; every thread gets it
///   scan(n, initial, f, op, put)   calls put(i, before) for i in [0, n), where `before` is `initial`
///                      combined with f(0) .. f(i - 1); returns what reduce() would. See docs/device.md.
///   warp(), warps()    the warp that the thread belongs to, and how many the block has
/// Of reduce() and scan(): all threads of the block call them with the same n (also items<N>), initial and
/// op. The thread to which for_each(n, ...) gives i calls f(i) once, and put(i, ...) after that, so that f
/// may read per_item; f must not read what put writes for other items. The type of `initial`, trivially
/// copyable and default constructible, is that of all values. `op` is associative. The order in which values
/// are combined depends on n only: the same bits in every run, for any number of threads, on a GPU and on
/// cores, if `f` and `op` have the same. With n > 0 a call ends with a sync(), and none lies before f: what
/// f reads of other threads' needs one before. A call needs shared memory on a GPU: 32 values.
template <class B>
concept block = requires(B b, std::uint32_t n, std::uint32_t (*f)(std::uint32_t),
                         void (*put)(std::uint32_t, std::uint32_t)) {
  { b.index() } -> std::same_as<std::uint32_t>;
  { b.first() } -> std::same_as<std::uint32_t>;
  { b.count() } -> std::same_as<std::uint32_t>;
  { b.rank() } -> std::same_as<std::uint32_t>;
  { b.size() } -> std::same_as<std::uint32_t>;
  { b.worker() } -> std::same_as<std::uint32_t>;
  { b.workers() } -> std::same_as<std::uint32_t>;
  b.sync();
  b.for_each(n, [](std::uint32_t) {});
  b.for_each(items<1>, [](std::uint32_t) {});
  b.for_each(n, n, [](std::uint32_t, std::uint32_t) {});
  { b.reduce(n, n, f) } -> std::same_as<std::uint32_t>;
  { b.reduce(items<1>, n, f, maximum()) } -> std::same_as<std::uint32_t>;
  { b.scan(n, n, f, plus(), put) } -> std::same_as<std::uint32_t>;
  { b.warp() } -> warp;
  { b.warps() } -> std::same_as<std::uint32_t>;
};

/// Which blocks of a kernel a task stands for: logical indices first .. first + count - 1.
struct block_range {
  /// The logical index of the first block.
  std::uint32_t first = 0;
  /// How many blocks; a task has at least 1 of them.
  std::uint32_t count = 1;
};

/// What only blocks of pools can do, so that the compiler says what is missing elsewhere.
struct block_outside_pools {
  ///@{
  /// Does not compile.
  template <class Child>
  BALLAST_HD void spawn(Child const&, block_range = {}) const {
    static_assert(sizeof(Child) == 0, "only workers of a pool keep tasks: declare `spawns` in the kernel");
  }
  template <class Join>
  BALLAST_HD void finish(Join const&) const {
    static_assert(sizeof(Join) == 0, "only workers of a pool have joins: declare `spawns` in the kernel");
  }
  template <class Value>
  BALLAST_HD void add_to_sum(Value const&) const {
    static_assert(sizeof(Value) == 0, "only runs of a pool have a sum: declare `reduces` in the kernel");
  }
  template <class Value>
  BALLAST_HD void raise_max(Value const&) const {
    static_assert(sizeof(Value) == 0, "only runs of a pool have a maximum: declare `reduces` in the kernel");
  }
  ///@}
};

/// A block of one thread, without worker() and workers(), so that for_each is a plain loop which the compiler
/// vectorises.
template <class K>
class one_thread_block : public block_outside_pools {
 public:
  /// Known when compiled, for what must differ between one thread and several.
  static constexpr std::uint32_t threads = 1;

  /// `scratch` has room for scratch_of<K>, aligned to 128 bytes.
  BALLAST_HD one_thread_block(block_range range, void* scratch) : range_(range), scratch_(scratch) {}

  ///@{
  /// As the concept block says; rank() is always 0, and sync() does nothing.
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
  template <class T, class F, class Op = plus>
  BALLAST_HD T reduce(std::uint32_t n, T initial, F&& f, Op op = {}) const {
    return detail::reduce_alone(n, initial, f, op);
  }
  template <class T, class F, class Op, class Put>
  BALLAST_HD T scan(std::uint32_t n, T initial, F&& f, Op op, Put&& put) const {
    return detail::scan_alone(n, initial, f, op, put);
  }
  BALLAST_HD auto warp() const { return detail::lone_warp(0); }
  BALLAST_HD std::uint32_t warps() const { return 1; }
  BALLAST_HD scratch_of<K>& scratch() const { return *static_cast<scratch_of<K>*>(scratch_); }
  ///@}

  /// For the code that runs the blocks of a range one after another: makes `index` the current block.
  BALLAST_HD void move_to(std::uint32_t index) { index_ = index; }

 private:
  block_range range_;
  std::uint32_t index_ = 0;
  void* scratch_;
};

/// What a host thread gives to each block that it runs.
struct worker_place {
  /// With the scratch alone, the thread is the only worker.
  BALLAST_HD worker_place(void* in_scratch, std::uint32_t in_worker = 0, std::uint32_t in_workers = 1)
      : scratch(in_scratch), worker(in_worker), workers(in_workers) {}

  void* scratch;          ///< as one_thread_block takes it
  std::uint32_t worker;   ///< which the thread is, from 0
  std::uint32_t workers;  ///< how many there are
};

/// The block of a host device.
template <class K>
class host_block : public one_thread_block<K> {
 public:
  /// On the thread that has this place.
  BALLAST_HD host_block(block_range range, worker_place place)
      : one_thread_block<K>(range, place.scratch), worker_(place.worker), workers_(place.workers) {}

  ///@{
  /// As the concept block says.
  BALLAST_HD std::uint32_t worker() const { return worker_; }
  BALLAST_HD std::uint32_t workers() const { return workers_; }
  ///@}

 private:
  std::uint32_t worker_, workers_;
};

#if defined(__CUDACC__)
/// The block of a GPU: the kernel's threads.
template <class K>
class cuda_block : public block_outside_pools {
 public:
  /// Known when compiled, for what must differ between one thread and several.
  static constexpr std::uint32_t threads = K::threads;

  /// The pointer is not used: the block's scratch is the kernel's dynamic shared memory.
  __device__ cuda_block(block_range range, void*) : range_(range) {}

  ///@{
  /// As the concept block says; every thread of the block has a copy of its own.
  __device__ std::uint32_t index() const { return index_; }
  __device__ std::uint32_t first() const { return range_.first; }
  __device__ std::uint32_t count() const { return range_.count; }
  __device__ std::uint32_t rank() const {
    // So that the compiler knows: a comparison with the rank inside a kernel's inner loop keeps ptxas from
    // unrolling that, and an assumption is forgotten in a resident kernel, and in one of a launch queue.
    return threadIdx.x & max_rank;
  }
  __device__ std::uint32_t size() const { return threads; }
  // Read where they are asked for, and not kept, so that a kernel that does not ask is compiled as if they
  // were not here.
  __device__ std::uint32_t worker() const { return blockIdx.x; }
  __device__ std::uint32_t workers() const { return gridDim.x; }
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
  template <class T, class F, class Op = plus>
  __device__ T reduce(std::uint32_t n, T initial, F&& f, Op op = {}) const {
    return detail::reduce_of_block<threads>(n, initial, f, op);
  }
  template <class T, class F, class Op, class Put>
  __device__ T scan(std::uint32_t n, T initial, F&& f, Op op, Put&& put) const {
    return detail::scan_of_block<threads>(n, initial, f, op, put);
  }
  __device__ auto warp() const { return detail::cuda_warp(); }
  __device__ std::uint32_t warps() const { return threads / 32; }
  // Named here and not passed as a pointer, so that the compiler knows the accesses to be to shared memory.
  __device__ scratch_of<K>& scratch() const {
    extern __shared__ __align__(128) unsigned char ballast_scratch[];
    return *reinterpret_cast<scratch_of<K>*>(ballast_scratch);
  }
  ///@}

  /// For whoever runs the blocks of a range one after another.
  __device__ void move_to(std::uint32_t index) { index_ = index; }

 private:
  static constexpr std::uint32_t max_rank = std::bit_ceil(threads) - 1;  ///< that bits allow

  block_range range_;
  std::uint32_t index_ = 0;
};
#endif

/// The block of a kernel that is a lambda, with the same type on a GPU, where it has `Threads` threads, and
/// on CPU cores, where it has one: `[=] BALLAST_HD (ballast::block_of<128> const& block) { ... }`. A lambda
/// can be launched in a .cu file, in a function that is no member. It takes the block as `block_of<128>
/// const&`, is neither generic nor mutable, returns nothing, and captures numbers and array_refs by value. A
/// functor can do more: it has scratch, worker(), reduce() and scan(), and may be merged with
/// others.
template <std::uint32_t Threads>
class block_of {
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0,
                "a block has a multiple of 32 threads, up to 1024");

 public:
  /// Of a launch on a GPU.
  static constexpr std::uint32_t gpu_threads = Threads;
  /// Of the block where it runs, as in the other blocks.
#if BALLAST_ON_GPU
  static constexpr std::uint32_t threads = Threads;
#else
  static constexpr std::uint32_t threads = 1;
#endif

  /// For the library: block `index` of a launch of these blocks.
  BALLAST_HD block_of(block_range range, std::uint32_t index) : range_(range), index_(index) {}

  ///@{
  /// As the concept block says.
  BALLAST_HD std::uint32_t index() const { return index_; }
  BALLAST_HD std::uint32_t first() const { return range_.first; }
  BALLAST_HD std::uint32_t count() const { return range_.count; }
  BALLAST_HD std::uint32_t size() const { return threads; }
#if BALLAST_ON_GPU
  __device__ std::uint32_t rank() const { return threadIdx.x; }
  __device__ void sync() const { __syncthreads(); }
#else
  BALLAST_HD std::uint32_t rank() const { return 0; }
  BALLAST_HD void sync() const {}
#endif
  template <class F>
  BALLAST_HD void for_each(std::uint32_t n, F&& f) const {
    for (std::uint32_t i = rank(); i < n; i += threads) f(i);
  }
  template <std::uint32_t N, class F>
  BALLAST_HD void for_each(item_count<N>, F&& f) const {
    for (std::uint32_t first = 0; first < N; first += threads)
      if (N % threads == 0 || first + rank() < N) f(first + rank());
  }
  template <class F>
  BALLAST_HD void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
#if BALLAST_ON_GPU
    for (std::uint32_t i = rank(); i < rows * columns; i += Threads) f(i / columns, i % columns);
#else
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t column = 0; column < columns; ++column) f(row, column);
#endif
  }
  ///@}

 private:
  block_range range_;
  std::uint32_t index_;
};

/// One of the items that a kernel in the form of a lambda is called for, one after the other on a core and
/// one by each thread of a GPU: `[=] BALLAST_HD (ballast::item i) { y[i] += a * x[i]; }`. What block_of says
/// of lambdas holds for these too.
class item {
 public:
  /// For the library.
  BALLAST_HD explicit item(std::uint32_t number) : number_(number) {}
  /// Its number, from 0 in a launch; in a job the number of its unit.
  BALLAST_HD operator std::uint32_t() const { return number_; }

 private:
  std::uint32_t number_;
};

/// State of N items of a block that persists across sync(): a register per thread and item on a GPU, an array
/// on the host. Only the thread to which for_each assigns i may touch item i; always index it inside
/// for_each(N, ...).
template <class T, std::uint32_t N, class Block>
class per_item {
 public:
  ///@{
  /// The value of item `item`, which for_each gave to the calling thread.
  BALLAST_HD T& operator[](std::uint32_t item) { return values_[index_of(item)]; }
  BALLAST_HD T const& operator[](std::uint32_t item) const { return values_[index_of(item)]; }
  ///@}

 private:
  static constexpr std::uint32_t count = (N + Block::threads - 1) / Block::threads;

  /// Known when compiled if there is only one: else it may be memory and no register.
  BALLAST_HD static constexpr std::uint32_t index_of(std::uint32_t item) {
    return count == 1 ? 0 : item / Block::threads;
  }

  T values_[count];
};

/// Runs every block of a task, one after another, on the calling block of threads. Ends with a sync, so that
/// the scratch can be reused. `place` is what a Block takes besides its range: of a host_block a worker_place
/// or its scratch.
template <template <class> class Block, class K, class Place>
BALLAST_HD void run_blocks(K const& kernel, block_range range, Place place) {
  Block<K> block(range, place);
  for (std::uint32_t i = 0; i < range.count; ++i) {
    block.move_to(range.first + i);
    invoke_kernel(kernel, block);
    block.sync();
  }
}

///@{
/// a * b + c with one rounding on a GPU and two on the host, wherever it is compiled. For kernels whose
/// results must not depend on which launch runs them: compilers fuse differently from one launch to the next,
/// so the files of such kernels forbid it (--fmad=false, -ffp-contract=off) and request fusion with this
/// function.
BALLAST_HD inline float fused_multiply_add(float a, float b, float c) {
#if BALLAST_ON_GPU
  return __fmaf_rn(a, b, c);
#else
  return a * b + c;
#endif
}
BALLAST_HD inline double fused_multiply_add(double a, double b, double c) {
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

/// The first parameter of a plain `__global__` kernel that is run as a job: where this task begins in the
/// job's grid. Use block() instead of blockIdx, and thread() for the thread's index in the whole grid.
struct grid_slice {
  launch_extent first;  ///< first block of the task
  launch_extent grid;   ///< blocks of the job

#if defined(__CUDACC__)
  /// What blockIdx would be in a launch of the whole job.
  __device__ launch_extent block() const {
    launch_extent at = first;
    at.x += blockIdx.x;
    at.y += blockIdx.y;
    at.z += blockIdx.z;
    return at;
  }
  /// The thread's place in the grid of the whole job, in threads.
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

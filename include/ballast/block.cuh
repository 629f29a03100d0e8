// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__CUDACC_RTC__)
#  include <utility>
#endif

#include "ballast/detail/device/block_reduce.cuh"
#include "ballast/detail/device/qualifiers.cuh"

namespace ballast {

/// Which threads access a word: those of one device, or also other devices and the host. All accesses to one
/// word must use one scope: mixing scopes on a word is a data race.
enum class scope { device, system };

#if !defined(__CUDACC_RTC__)
template <class T, int Rank = 1>
class array_view;

namespace detail {

template <class T>
constexpr bool is_array_view = false;
template <class T, int Rank>
constexpr bool is_array_view<array_view<T, Rank>> = true;

/// A std::array, whose elements die with it.
template <class Elements>
concept holds_elements = requires {
  std::tuple_size<Elements>::value;
};
/// A span, a buffer, or another type with data() and size(); but no temporary whose elements die before
/// they can be used.
template <class Elements>
concept has_data_and_size =
    !is_array_view<std::remove_cvref_t<Elements>> &&
    (std::is_lvalue_reference_v<Elements> || (std::is_trivially_copyable_v<std::remove_cvref_t<Elements>> &&
                                              !holds_elements<std::remove_cvref_t<Elements>>)) &&
    requires(Elements && elements) {
  *elements.data();
  static_cast<std::size_t>(elements.size());
};
/// Its elements are of T, or of what T adds const to.
template <class Elements, class T>
concept has_elements_of = has_data_and_size<Elements> &&
                          std::is_convertible_v<decltype(std::declval<Elements>().data()), T*> &&
                          sizeof(*std::declval<Elements>().data()) == sizeof(T);

}  // namespace detail
#endif

/// A pointer to T in global memory (device memory or mapped host memory): 8 bytes, trivially copyable, not
/// owning. The compiler treats a pointer inside a task as generic; every access here asserts that it is
/// global, so loads and stores need no generic address. Bounds are not checked.
template <class T>
class array_ref {
 public:
  array_ref() = default;
  /// Refers to elements from `first` on; null is legal as long as no element is touched.
  BALLAST_HD explicit array_ref(T* first) : first_(first) {}
#if !defined(__CUDACC_RTC__)
  /// Refers to the elements of a buffer, a std::span or a vector; an array_view may have gaps and is refused.
  /// Host only.
  template <detail::has_elements_of<T> Elements>
  explicit array_ref(Elements&& elements) : first_(elements.data()) {}
#endif
  /// Converts a reference that may write its elements into a read-only one. Implicit.
  template <class Mutable>
  requires(std::is_same_v<Mutable const, T> && !std::is_same_v<Mutable, T>) BALLAST_HD
      array_ref(array_ref<Mutable> other)
      : first_(other.data()) {}

  /// The element at this index, which is not checked.
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
  /// True if it refers to memory.
  BALLAST_HD explicit operator bool() const { return first_ != nullptr; }

 private:
  T* first_ = nullptr;
};

#if !defined(__CUDACC_RTC__)
/// `array_ref(buffer)` refers to the buffer's elements.
template <detail::has_data_and_size Elements>
array_ref(Elements&&) -> array_ref<std::remove_reference_t<decltype(*std::declval<Elements>().data())>>;
#endif

namespace detail {

/// The scratch of a kernel that declares none.
struct no_scratch {};

/// The result type of scratch_of: no_scratch, unless K declares its own.
template <class K>
struct scratch_type {
  /// The struct that stands for no scratch.
  using type = no_scratch;
};
/// For kernels that declare a `scratch`.
template <class K>
requires requires { typename K::scratch; }
struct scratch_type<K> {
  /// The kernel's own struct.
  using type = typename K::scratch;
};

/// A compile-time number of items: `block.for_each(items<256>, f)` needs no comparison on a GPU if the number
/// is a multiple of the block's threads, so a loop around it can be unrolled.
template <std::uint32_t N>
struct item_count {
  /// Converts to a number, for functions that take any number of items.
  BALLAST_HD constexpr operator std::uint32_t() const { return N; }
};

}  // namespace detail

/// K::scratch if K declares it: shared memory of a block on a GPU, a buffer of the worker on the host.
template <class K>
using scratch_of = typename detail::scratch_type<K>::type;

/// The size of scratch_of<K>; 0 for a struct without members.
template <class K>
constexpr std::uint32_t scratch_bytes = std::is_empty_v<scratch_of<K>> ? 0
                                                                       : std::uint32_t(sizeof(scratch_of<K>));

/// A constant that for_each takes in place of a number.
template <std::uint32_t N>
inline constexpr detail::item_count<N> items{};

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
/// one thread, it has one lane. Its members, for block.warp() in a kernel:
///   index()    this warp among the block's warps(), from 0
///   lane(), lanes()              this thread among the warp's; 32 on a GPU
///   sync()     every lane of the warp waits for the others; their writes are visible after it
///   any(b), all(b)               whether any lane, or every lane, passes `true`; every lane gets the answer
///   for_each(n, f)     as that of a block, divided among the lanes of this warp alone
///   reduce(n, initial, f, op), scan(n, initial, f, op, put)   as those of a block, by this warp alone: the
///                      other warps need not call. `op` of reduce() must also commute. The results have the
///                      same bits on a GPU and on cores; reduce() of a warp and of a block combine in
///                      different orders.
template <class W>
concept warp = requires(W w, std::uint32_t n, std::uint32_t (*f)(std::uint32_t),
                        void (*put)(std::uint32_t, std::uint32_t)) {
  { w.index() } -> std::same_as<std::uint32_t>;
  { w.lane() } -> std::same_as<std::uint32_t>;
  { w.lanes() } -> std::same_as<std::uint32_t>;
  { w.any(true) } -> std::same_as<bool>;
  { w.all(true) } -> std::same_as<bool>;
  w.sync();
  w.for_each(n, f);
  { w.reduce(n, n, f) } -> std::same_as<std::uint32_t>;
  { w.reduce(n, n, f, maximum()) } -> std::same_as<std::uint32_t>;
  { w.scan(n, n, f, plus(), put) } -> std::same_as<std::uint32_t>;
};

/// A Block runs one block of a kernel. Its members, for a kernel's operator():
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
/// A call of for_each(), reduce() or scan() is for at most 2^32 - 1024 items (`rows * columns` too), which is
/// checked where BALLAST_CHECK_BOUNDS is defined: with more, threads of a GPU would begin again at 0.
/// For reduce() and scan(): all threads of the block call them with the same n (also items<N>), initial and
/// op. The thread to which for_each(n, ...) gives i calls f(i) once, and put(i, ...) after that, so that f
/// may read per_item; f must not read what put writes for other items. The type of `initial`, trivially
/// copyable and default constructible, is that of all values. `op` is associative. The order in which values
/// are combined depends on n only: the result has the same bits in every run, for any number of threads, on a
/// GPU and on cores, if `f` and `op` give the same bits there. With n > 0 a call ends with a sync(), but does
/// not begin with one: if f reads what other threads wrote, call sync() before. A call needs shared memory on
/// a GPU: 32 values.
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
  b.for_each(n, f);
  b.for_each(items<1>, f);
  b.for_each(n, n, put);
  { b.reduce(n, n, f) } -> std::same_as<std::uint32_t>;
  { b.reduce(items<1>, n, f, maximum()) } -> std::same_as<std::uint32_t>;
  { b.scan(n, n, f, plus(), put) } -> std::same_as<std::uint32_t>;
  { b.warp() } -> warp;
  { b.warps() } -> std::same_as<std::uint32_t>;
};

/// The blocks of a kernel that a task runs: logical indices first .. first + count - 1.
struct block_range {
  /// The logical index of the first block.
  std::uint32_t first = 0;
  /// The number of blocks, at least 1 in a task.
  std::uint32_t count = 1;
};

namespace detail {

/// Stands in for the members that only blocks of pools have, so that the compiler's message names the missing
/// one.
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

/// A block of one thread, without worker() and workers(), so for_each is a plain loop that the compiler
/// vectorises.
template <class K>
class one_thread_block : public block_outside_pools {
 public:
  /// A compile-time constant, for code that differs between one thread and several.
  static constexpr std::uint32_t threads = 1;

  /// `scratch` holds a scratch_of<K>, aligned to 128 bytes.
  BALLAST_HD one_thread_block(block_range range, void* scratch) : range_(range), scratch_(scratch) {}

  ///@{
  /// As in the concept block; rank() is always 0, and sync() does nothing.
  BALLAST_HD std::uint32_t index() const { return index_; }
  BALLAST_HD std::uint32_t first() const { return range_.first; }
  BALLAST_HD std::uint32_t count() const { return range_.count; }
  BALLAST_HD std::uint32_t rank() const { return 0; }
  BALLAST_HD std::uint32_t size() const { return 1; }
  BALLAST_HD void sync() const {}
  template <class F>
  BALLAST_HD void for_each(std::uint32_t n, F&& f) const {
    detail::check_items<F>(n);
    for (std::uint32_t i = 0; i < n; ++i) f(i);
  }
  template <std::uint32_t N, class F>
  BALLAST_HD void for_each(item_count<N>, F&& f) const {
    for_each(N, f);
  }
  template <class F>
  BALLAST_HD void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
    detail::check_items<F>(std::uint64_t(rows) * columns);
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

  /// Makes `index` the current block. Called by the code that runs the blocks of a range one after another.
  BALLAST_HD void move_to(std::uint32_t index) { index_ = index; }

 private:
  block_range range_;
  std::uint32_t index_ = 0;
  void* scratch_;
};

/// The scratch and the number that a host thread gives to each block it runs.
struct worker_place {
  /// Without the last two arguments, the thread is the only worker.
  BALLAST_HD worker_place(void* in_scratch, std::uint32_t in_worker = 0, std::uint32_t in_workers = 1)
      : scratch(in_scratch), worker(in_worker), workers(in_workers) {}

  void* scratch;          ///< as one_thread_block takes it
  std::uint32_t worker;   ///< the thread's number as a worker, from 0
  std::uint32_t workers;  ///< how many there are
};

/// The block of a host device.
template <class K>
class host_block : public one_thread_block<K> {
 public:
  /// Makes the block of the thread that `place` describes.
  BALLAST_HD host_block(block_range range, worker_place place)
      : one_thread_block<K>(range, place.scratch), worker_(place.worker), workers_(place.workers) {}

  ///@{
  /// As in the concept block.
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
  /// A compile-time constant, for code that differs between one thread and several.
  static constexpr std::uint32_t threads = K::threads;

  /// The pointer is not used: the block's scratch is the kernel's dynamic shared memory.
  __device__ cuda_block(block_range range, void*) : range_(range) {}

  ///@{
  /// As in the concept block; every thread of the block has a copy of its own.
  __device__ std::uint32_t index() const { return index_; }
  __device__ std::uint32_t first() const { return range_.first; }
  __device__ std::uint32_t count() const { return range_.count; }
  __device__ std::uint32_t rank() const {
    // The mask changes nothing, but informs the compiler: a comparison with the rank in an inner loop
    // otherwise keeps ptxas from unrolling that loop. An assumption would be forgotten in a resident kernel
    // and in one of a launch queue.
    return threadIdx.x & max_rank;
  }
  __device__ std::uint32_t size() const { return threads; }
  // Read on demand and not kept, so that a kernel that never asks is compiled as if these members did not
  // exist.
  __device__ std::uint32_t worker() const { return blockIdx.x; }
  __device__ std::uint32_t workers() const { return gridDim.x; }
  __device__ void sync() const { __syncthreads(); }
  template <class F>
  __device__ void for_each(std::uint32_t n, F&& f) const {
    detail::check_items<F>(n);
    for (std::uint32_t i = rank(); i < n; i += threads) f(i);
  }
  template <std::uint32_t N, class F>
  __device__ void for_each(item_count<N>, F&& f) const {
    for (std::uint32_t first = 0; first < N; first += threads)
      if (N % threads == 0 || first + rank() < N) f(first + rank());
  }
  template <class F>
  __device__ void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
    detail::check_items<F>(std::uint64_t(rows) * columns);
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
  // Found by name, not passed as a pointer, so that the compiler knows that it is shared memory.
  __device__ scratch_of<K>& scratch() const {
    extern __shared__ __align__(128) unsigned char ballast_scratch[];
    return *reinterpret_cast<scratch_of<K>*>(ballast_scratch);
  }
  ///@}

  /// Moves to block `index` of a range whose blocks run one after another.
  __device__ void move_to(std::uint32_t index) { index_ = index; }

 private:
  static constexpr std::uint32_t max_rank = std::bit_ceil(threads) - 1;  ///< the most that its bits allow

  block_range range_;
  std::uint32_t index_ = 0;
};
#endif

}  // namespace detail

/// The block of a kernel that is a lambda, with the same type on a GPU, where it has `Threads` threads, and
/// on CPU cores, where it has one: `[=] BALLAST_HD (ballast::block_of<128> const& block) { ... }`. A lambda
/// can be launched in a .cu file, in a function that is no member. It takes the block as `block_of<128>
/// const&`, is neither generic nor mutable, returns nothing, and captures numbers and array_refs by value. A
/// functor can do more than a lambda: it has scratch, worker() and warp(), and may be merged with others.
/// `block_of<128>({}, blockIdx.x)` is the block of a `__global__` function of one's own.
template <std::uint32_t Threads>
class block_of {
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0,
                "a block has a multiple of 32 threads, up to 1024");

 public:
  /// Threads of a block in a launch on a GPU.
  static constexpr std::uint32_t gpu_threads = Threads;
  /// A compile-time constant, for code that differs between one thread and several.
#if BALLAST_ON_GPU
  static constexpr std::uint32_t threads = Threads;
#else
  static constexpr std::uint32_t threads = 1;
#endif

  /// Block `index` of a launch of these blocks.
  BALLAST_HD block_of(block_range range, std::uint32_t index) : range_(range), index_(index) {}

  ///@{
  /// As in the concept block.
  BALLAST_HD std::uint32_t index() const { return index_; }
  BALLAST_HD std::uint32_t first() const { return range_.first; }
  BALLAST_HD std::uint32_t count() const { return range_.count; }
  BALLAST_HD std::uint32_t size() const { return threads; }
#if BALLAST_ON_GPU
  __device__ std::uint32_t rank() const { return threadIdx.x & max_rank; }  // masked for per_item
  __device__ void sync() const { __syncthreads(); }
#else
  BALLAST_HD std::uint32_t rank() const { return 0; }
  BALLAST_HD void sync() const {}
#endif
  template <class F>
  BALLAST_HD void for_each(std::uint32_t n, F&& f) const {
    detail::check_items<F>(n);
    for (std::uint32_t i = rank(); i < n; i += threads) f(i);
  }
  template <std::uint32_t N, class F>
  BALLAST_HD void for_each(detail::item_count<N>, F&& f) const {
    for (std::uint32_t first = 0; first < N; first += threads)
      if (N % threads == 0 || first + rank() < N) f(first + rank());
  }
  template <class F>
  BALLAST_HD void for_each(std::uint32_t rows, std::uint32_t columns, F&& f) const {
    detail::check_items<F>(std::uint64_t(rows) * columns);
#if BALLAST_ON_GPU
    for (std::uint32_t i = rank(); i < rows * columns; i += Threads) f(i / columns, i % columns);
#else
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t column = 0; column < columns; ++column) f(row, column);
#endif
  }
  template <class T, class F, class Op = plus>
  BALLAST_HD T reduce(std::uint32_t n, T initial, F&& f, Op op = {}) const {
#if BALLAST_ON_GPU
    return detail::reduce_of_block<threads>(n, initial, f, op);
#else
    return detail::reduce_alone(n, initial, f, op);
#endif
  }
  template <class T, class F, class Op, class Put>
  BALLAST_HD T scan(std::uint32_t n, T initial, F&& f, Op op, Put&& put) const {
#if BALLAST_ON_GPU
    return detail::scan_of_block<threads>(n, initial, f, op, put);
#else
    return detail::scan_alone(n, initial, f, op, put);
#endif
  }
  ///@}

 private:
  static constexpr std::uint32_t max_rank = std::bit_ceil(threads) - 1;

  block_range range_;
  std::uint32_t index_;
};

/// One item of a kernel that is a lambda. A core runs the items of a block one after another, a GPU's threads
/// share them: `[=] BALLAST_HD (ballast::item i) { y[i] += a * x[i]; }`. The rules for lambdas at block_of
/// apply here too.
class item {
 public:
  /// For the library: item `number` of a launch or a job.
  BALLAST_HD explicit item(std::uint32_t number) : number_(number) {}
  /// The item's number, from 0 in a launch; in a job the number of its unit.
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

  /// Constant 0 at compile time if there is only one value: a run-time index could move the value from a
  /// register to memory.
  BALLAST_HD static constexpr std::uint32_t index_of(std::uint32_t item) {
    return count == 1 ? 0 : item / Block::threads;
  }

  T values_[count];
};

}  // namespace ballast

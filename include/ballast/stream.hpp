// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/gpu_function.hpp"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/version.hpp"

// CUDA's own names for the targets of its streams and events: cudaStream_t and CUstream are CUstream_st*.
struct CUstream_st;
struct CUevent_st;

namespace ballast {

/// A cudaStream_t or CUstream, without CUDA's headers. Null is no stream: CUDA's default streams are
/// cudaStreamLegacy and cudaStreamPerThread.
using native_stream = CUstream_st*;
using native_event = CUevent_st*;  ///< a cudaEvent_t or CUevent

/// A kernel's requirements on a device, and the number of its blocks that fit on a multiprocessor at the same
/// time (1 on the host).
struct kernel_resources {
  int registers = 0;            ///< per thread
  int spill_bytes = 0;          ///< local memory per thread
  int static_shared_bytes = 0;  ///< per block
  /// Blocks that fit on an SM at once, given its registers and shared memory.
  int blocks_per_multiprocessor = 0;
};

/// A launch of any `__global__` function, whichever compiler run produced it; GPUs only.
struct plain_launch {
  /// A `__global__` function (`&kernel`), or the handle of one that was compiled at run time.
  gpu_function function = {};
  /// Grid, block and dynamic shared memory, which CUDA checks.
  launch_shape shape;
  /// The addresses of the parameters' values, one for each parameter of the function; null if it has none.
  void* const* arguments = nullptr;
  std::string_view name = "a plain kernel";  ///< for messages
};

namespace detail {

/// A launch of a plain `__global__` kernel by a task of a job; made by plain().
template <class... Parameter>
struct plain_kernel {
  /// The `__global__` function, or a handle of one.
  gpu_function function = {};
  /// Threads of a block.
  launch_extent block;
  /// Dynamic shared memory of a block, in bytes.
  std::uint32_t shared_bytes;
  /// Values for the parameters after grid_slice.
  std::tuple<std::decay_t<Parameter>...> arguments;
};

template <class K>
struct is_plain_kernel : std::false_type {};
template <class... Parameter>
struct is_plain_kernel<plain_kernel<Parameter...>> : std::true_type {};
/// A plain_kernel with any parameters.
template <class K>
concept plain_kernel_of_any = is_plain_kernel<K>::value;

}  // namespace detail

///@{
/// plain() that always takes the dynamic shared memory of a block in bytes: for a `__global__` function, and
/// for a kernel's handle, for which plain() takes none.
// Inlined, because the calling program or shared library is the one that finds the function.
template <class... Parameter, class... Argument>
[[gnu::always_inline]] inline detail::plain_kernel<Parameter...> plain_with_shared_memory(
    void (*kernel)(grid_slice, Parameter...), launch_extent block, std::uint32_t shared_bytes,
    Argument... arguments) {
  return {kernel, block, shared_bytes, {std::move(arguments)...}};
}
template <gpu_handle Handle, class... Argument>
detail::plain_kernel<Argument...> plain_with_shared_memory(Handle kernel, launch_extent block,
                                                           std::uint32_t shared_bytes,
                                                           Argument... arguments) {
  return {kernel, block, shared_bytes, {std::move(arguments)...}};
}
///@}

/// The result of a job's factory for a plain `__global__` kernel whose first parameter is a grid_slice:
/// `plain(kernel, block, arguments...)`, or with a block's bytes of dynamic shared memory before the
/// arguments. GPUs only. If CUDA refuses the shape, the task fails.
template <class... Parameter, class... Rest>
[[gnu::always_inline]] inline detail::plain_kernel<Parameter...> plain(void (*kernel)(grid_slice,
                                                                                      Parameter...),
                                                                       launch_extent block, Rest... rest) {
  if constexpr (sizeof...(Rest) == sizeof...(Parameter)) {
    return plain_with_shared_memory(kernel, block, 0, std::move(rest)...);
  } else {
    static_assert(sizeof...(Rest) == sizeof...(Parameter) + 1,
                  "give plain() one argument for each parameter of the kernel after grid_slice");
    return plain_with_shared_memory(kernel, block, std::move(rest)...);
  }
}

/// plain() for a handle of a kernel that was compiled at run time. The arguments are copied as they are, and
/// nothing can check them: give each the type of the kernel's parameter.
template <gpu_handle Handle, class... Argument>
detail::plain_kernel<Argument...> plain(Handle kernel, launch_extent block, Argument... arguments) {
  return plain_with_shared_memory(kernel, block, 0, std::move(arguments)...);
}

/// A point in a stream. Any thread may call any member; none waits.
class BALLAST_API event {
 public:
  virtual ~event() = default;

  /// True if everything enqueued before the event has finished. Throws device_lost.
  virtual bool reached() = 0;
  /// Device time from `earlier` to this event; both must be of one device and reached. Throws bad_argument
  /// ("event" for this one, "earlier" for the other) if an event has no time.
  virtual std::chrono::nanoseconds since(event const& earlier) const = 0;
};

class stream;

namespace detail {

/// Is asked before each block of a launch on CPU cores begins. A launch that it refuses begins no further
/// block.
class launch_gate {
 public:
  /// `is_closed` is called on any thread; once true, it stays true.
  explicit launch_gate(std::function<bool()> is_closed) : is_closed_(std::move(is_closed)) {}

  bool may_begin() {
    if (is_closed_()) has_refused_.store(true, std::memory_order_release);
    return !has_refused();
  }
  bool has_refused() const { return has_refused_.load(std::memory_order_acquire); }

 private:
  std::function<bool()> const is_closed_;
  std::atomic<bool> has_refused_ = false;
};

/// Recorded work of a GPU's stream that one call enqueues again; made by stream::capture(). May be destroyed
/// while it runs.
class BALLAST_API captured_work {
 public:
  virtual ~captured_work() = default;

  /// Enqueues all of the work after the stream's earlier work. The work never overlaps itself. Only the
  /// thread that may enqueue to the stream may call. Does not wait. Throws bad_argument ("on") if the stream
  /// is not of this GPU, and device_lost.
  virtual void enqueue(stream& on) = 0;
};

/// The part of a stream that only the library calls.
class BALLAST_API library_stream {
 public:
  virtual ~library_stream() = default;

  /// Calls `enqueue`, and records the launches and copies that it enqueues here, instead of having the device
  /// carry them out. Their kernels must have been launched here before, so that nothing is loaded meanwhile.
  /// On host devices, where enqueuing again costs no more, returns null and does not call `enqueue`. Throws
  /// what `enqueue` throws, and ballast::error with CUDA's message for what cannot be captured; nothing was
  /// enqueued then.
  virtual std::unique_ptr<captured_work> capture(std::function<void()> const& enqueue);
  /// True if no work enqueued so far uses memory now or later. As idle(), but does not throw on a lost
  /// device, where blocks that were running on CPU cores continue.
  virtual bool is_at_rest() noexcept = 0;
  /// Host devices: notifies `wake_event`, which must live until then, when everything enqueued so far has
  /// finished, also after a fault; returns true. GPUs: does nothing and returns false; poll idle() or an
  /// event instead.
  virtual bool notify_on_completion(event_count& wake_event) = 0;
  /// Sets the gate that later launches on CPU cores ask; null: none.
  void set_gate(std::shared_ptr<launch_gate> gate) { gate_ = std::move(gate); }
  /// The gate that was set; null if none.
  std::shared_ptr<launch_gate> const& gate() const { return gate_; }

 private:
  std::shared_ptr<launch_gate> gate_;
};

}  // namespace detail

/// Runs work in order on one device, asynchronously to the caller. Only one thread at a time may enqueue. No
/// member waits for the device except synchronize() and the destructor; all throw device_lost after a fault.
class BALLAST_API stream : public detail::library_stream {
 public:
  /// Waits up to a minute for the enqueued work. The destructor of an adopted stream does not wait.
  virtual ~stream() = default;

  /// Copies between any two places: device memory of any device, pinned or pageable host memory. On a GPU's
  /// stream the call may wait until pageable memory was read or written, and it waits for a copy from host
  /// memory to host memory. Both ranges must stay valid until the copy is done.
  ///
  /// A copy may read words that a running kernel writes atomically, and write words that it polls: aligned
  /// words of 8 bytes arrive whole (on the host in copies of up to 16 KiB), in any order within a copy. If a
  /// kernel polls a word with acquire and sees what a later copy wrote, it also sees the copies whose events
  /// were reached before that later copy was enqueued.
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;
  /// Copies `rows` rows of `row_bytes` bytes, each as copy() would. `to_pitch` and `from_pitch` are the bytes
  /// from the start of one row to the start of the next. Throws bad_argument ("to_pitch", "from_pitch") if
  /// there are several rows and they would overlap.
  void copy_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                 std::size_t row_bytes, std::size_t rows);
  /// Like copy_rows(), on a GPU by a kernel instead of a copy engine. The kernel occupies multiprocessors,
  /// but copies some 32 KiB from another GPU several microseconds sooner. Kernels of this device must reach
  /// both ranges (enable_peer_access()). The first call loads the kernel, which may wait for the whole GPU.
  /// Also throws as launch_plain().
  void copy_rows_by_kernel(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                           std::size_t row_bytes, std::size_t rows);
  /// Sets `bytes` bytes of this device's memory, or of pinned memory, to `byte`.
  virtual void fill(void* to, unsigned char byte, std::size_t bytes) = 0;
  /// Launches `grid` blocks of a ballast kernel; the argument, `bytes` bytes, is copied before the call
  /// returns. grid 0 does nothing. Under CUDA_LAUNCH_BLOCKING=1 the call waits for the kernel. A host device
  /// holds `kept` until the launch has ended; a GPU's kernels see only the argument's bytes.
  virtual void launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
                      std::shared_ptr<void const> kept = {}) = 0;
  /// Launches `grid` blocks that are all resident at the same time, so they may wait for each other.
  /// Otherwise as launch(). Throws bad_argument ("blocks") if they do not fit.
  virtual void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                                  std::size_t bytes) = 0;
  /// Launches any `__global__` function; the arguments are copied before the call returns. Throws
  /// bad_argument ("function") if it is null; ballast::error with the kernel's name if CUDA refuses the shape
  /// or a block cannot have that much shared memory; then nothing was launched, and stream and device stay
  /// usable. On a host device throws bad_argument ("kernel"): CPU cores run ballast kernels only.
  virtual void launch_plain(plain_launch const& launch) = 0;
  /// Records an event after everything enqueued so far; it has a time.
  virtual std::unique_ptr<event> record() = 0;
  /// Records an event without a time, which is cheaper to query and to wait for: its since() throws
  /// bad_argument.
  virtual std::unique_ptr<event> record_untimed() = 0;
  /// Lets work that is enqueued here later start only after `before`, an event of any stream of the same
  /// backend. Does not wait.
  virtual void wait_for(event const& before) = 0;
  /// Lets work that is enqueued here later start only once `work` is ready, whether it succeeded or not (ask
  /// `work`), or when the process ends. Does not wait. `work` must belong to tasks of a queue whose resident
  /// kernel runs, or be when_all() of such completions. Other work may need a launch before it ends, which a
  /// GPU can hold up behind the stream that waits for it, so it is refused with bad_argument ("work"): launch
  /// from `work.then(...)` instead. The thread of continuations lets the stream go on: no continuation may
  /// destroy the stream before, nor enqueue so much that the continuation blocks. A GPU's stream holds about
  /// a thousand pieces of work: do not fill it behind a wait, since a thread that the driver holds up there
  /// may hold up that thread too. At most 256 waits of a GPU's streams are open at a time; throws error
  /// beyond that number, in a stream that is being captured, and if that thread cannot be started.
  void wait_for(completion const& work);
  /// True if everything enqueued so far has finished.
  virtual bool idle() = 0;
  /// The stream as a handle for calls of CUDA; null on the host backend.
  virtual native_stream native() = 0;

  /// Waits until idle(), at most until the deadline. Throws timed_out, device_lost.
  void synchronize(deadline until = deadline::in(default_timeout));

 private:
  /// Enqueues the copies of at least two rows that do not overlap.
  virtual void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                            std::size_t row_bytes, std::size_t rows) = 0;
  /// Enqueues the copy of copy_rows_by_kernel(): at least one byte, in rows that do not overlap; contiguous
  /// memory is one row.
  virtual void enqueue_rows_by_kernel(void* to, std::size_t to_pitch, void const* from,
                                      std::size_t from_pitch, std::size_t row_bytes, std::size_t rows);
  /// Waits until idle() and returns true; returns false if the deadline passed first. Throws device_lost.
  virtual bool await_idle(deadline until) = 0;
  virtual std::string const& device_name() const = 0;
  /// Enqueues a wait: work enqueued later starts once the last copy of the returned pointer is gone.
  virtual std::shared_ptr<void const> enqueue_gate() = 0;
};

/// Returns a completion that is ready once the event has been reached. Orders work of any module after a
/// caller's stream, as in `completion_of(theirs).then([&] { return queue.submit(tasks); })`. The completion
/// keeps the event and its device. Does not wait. Throws bad_argument ("moment") if the event is null.
BALLAST_API completion completion_of(std::shared_ptr<event> moment);
/// Returns a completion that is ready once everything enqueued to the stream so far has finished. Records an
/// event, so only the thread that may enqueue there may call.
BALLAST_API completion completion_of(stream& theirs);

/// Plain launches, at least one, that run one after another.
struct graph_branch {
  /// The launches, in the order in which they run.
  std::vector<plain_launch> launches;
  /// Indices of earlier branches in the list that must end before this one begins.
  std::vector<std::size_t> after = {};
};

/// Branches of plain launches, launched on a GPU by one call; made by compute_device::make_graph(). Branches
/// run concurrently unless one must begin after another. Only the arguments can change after the graph is
/// built. Only one thread at a time may call, and for a call with a stream it must be the thread that may
/// enqueue there. No member waits; all throw device_lost after a fault, and ballast::error with CUDA's
/// message if CUDA refuses. A graph may be destroyed while it runs: CUDA completes it first.
class BALLAST_API launch_graph {
 public:
  virtual ~launch_graph() = default;

  /// The number of branches that the graph was made of.
  virtual std::size_t branches() const noexcept = 0;
  /// The number of launches of one branch. Throws bad_argument ("branch").
  virtual std::size_t launches(std::size_t branch) const = 0;

  /// Enqueues the graph's transfer to the device, which the first launch would otherwise make.
  virtual void upload(stream& on) = 0;
  /// Enqueues all branches after the stream's earlier work. A graph never overlaps itself: a launch also
  /// waits for the graph's earlier launches in any stream. Make two graphs to run two at a time. Throws
  /// bad_argument ("on") if the stream is not of this GPU.
  virtual void launch(stream& on) = 0;

  /// Sets the arguments of one launch, one address per parameter, copied before the call returns. Launches of
  /// the graph that were enqueued before keep theirs, and nothing else changes. `index` counts the launches
  /// of a branch from 0. Throws bad_argument ("branch", "index").
  virtual void set_arguments(std::size_t branch, std::size_t index, void* const* arguments) = 0;
};

}  // namespace ballast

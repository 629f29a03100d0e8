// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/kernel.cuh"

namespace ballast {

/// Lets host threads sleep until something happened, at the price of one uncontended add for who notifies.
/// Use: `auto const seen = wake_event.epoch(); if (nothing to do) wake_event.wait_past(seen, until);`
/// A notification after epoch() was read is never missed. Any thread may call any member.
class event_count {
 public:
  /// The count to hand to wait_past(). Read it before looking whether there is something to do.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_seq_cst); }
  /// Wakes every waiter. The caller's writes before it are visible to who wakes.
  void notify();
  /// Sleeps until notify() was called since `seen` was read: true; false when the deadline passed first.
  bool wait_past(std::uint64_t seen, clock::time_point until);
  /// The same for what is expected soon: looks for some 100 us before it sleeps, because to be woken takes
  /// about as long.
  bool spin_then_wait_past(std::uint64_t seen, clock::time_point until);

 private:
  std::atomic<std::uint64_t> epoch_ = 0;
  std::atomic<std::uint32_t> sleepers_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Makes a host device slower by a stated factor: sleeps (factor - 1) times what was just worked.
/// What a sleep takes too long is carried over, so the factor holds on average. One thread each.
class pacer {
 public:
  /// `slowdown`: every piece of work shall take this many times longer; at least 1.
  explicit pacer(double slowdown) : extra_(slowdown - 1.0) {}

  /// Whether it ever sleeps.
  bool is_needed() const { return extra_ > 0; }
  /// Call after `worked` of real work: sleeps as add_debt() says.
  void worked(std::chrono::nanoseconds worked);

  /// The arithmetic alone. add_debt() books `worked` and says how long to sleep now: the whole debt, or 0
  /// while it is below 100 us; slept() books how long a sleep really took.
  std::chrono::nanoseconds add_debt(std::chrono::nanoseconds worked);
  /// Books a sleep that took so long, against the debt.
  void slept(std::chrono::nanoseconds took);

 private:
  double extra_;
  double debt_ns_ = 0;
};

/// What one block of a host launch is given: its index in the grid, its scratch buffer, its pacer.
struct host_block_context {
  /// The block's index in the grid, from 0.
  std::uint32_t block = 0;
  /// Blocks of the grid.
  std::uint32_t grid = 0;
  void* scratch = nullptr;  ///< `kernel_code::scratch_bytes`, aligned to 128 bytes, not cleared
  pacer* pace = nullptr;    ///< only a cooperative launch paces itself; plain blocks are paced by the device
};

/// One kernel as both backends see it: a function whose only parameter is a trivially copyable argument.
struct kernel_code {
  /// For messages; lives as long as the code.
  std::string_view name;
  void const* cuda_function =
      nullptr;  ///< address of the `__global__` function; null where CUDA was not built
  /// What runs a block on a CPU core; called once for each block, by any worker.
  void (*host_function)(void const* argument, host_block_context& context) = nullptr;
  std::uint32_t threads = 0;        ///< threads of a block on a GPU, a multiple of 32 up to 1024
  std::uint32_t scratch_bytes = 0;  ///< dynamic shared memory of a block; a buffer per worker on the host
};

/// What a kernel needs of a device; `blocks_per_multiprocessor` is what fits at once (1 on the host).
struct kernel_resources {
  int registers = 0;            ///< per thread
  int spill_bytes = 0;          ///< local memory per thread
  int static_shared_bytes = 0;  ///< per block
  /// Blocks that fit on an SM at once, registers and shared memory considered.
  int blocks_per_multiprocessor = 0;
};

/// A launch of any `__global__` function, compiled by whomever; GPUs only.
struct plain_launch {
  void const* function = nullptr;  ///< its address
  /// Grid, block and dynamic shared memory, which CUDA checks.
  launch_shape shape;
  /// The address of each parameter's value, as many as the function has; null if it has none.
  void* const* arguments = nullptr;
  std::string_view name = "a plain kernel";  ///< for messages
};

/// A launch of a plain `__global__` kernel by a task: made by plain().
template <class... Parameter>
struct plain_kernel {
  /// The `__global__` function.
  void (*function)(grid_slice, Parameter...);
  /// Threads of a block.
  launch_extent block;
  /// Dynamic shared memory of a block, in bytes.
  std::uint32_t shared_bytes;
  /// Values for the parameters behind grid_slice.
  std::tuple<std::decay_t<Parameter>...> arguments;
};

/// plain(), with the bytes of dynamic shared memory of a block in any case.
template <class... Parameter, class... Argument>
plain_kernel<Parameter...> plain_with_shared_memory(void (*kernel)(grid_slice, Parameter...),
                                                    launch_extent block, std::uint32_t shared_bytes,
                                                    Argument... arguments) {
  return {kernel, block, shared_bytes, {std::move(arguments)...}};
}

/// What a factory returns for a plain `__global__` kernel, compiled by whomever, whose first parameter is a
/// grid_slice: `plain(kernel, block, arguments...)`, or with the bytes of dynamic shared memory of a block
/// before the arguments. GPUs only. A shape that CUDA refuses fails the task.
template <class... Parameter, class... Rest>
plain_kernel<Parameter...> plain(void (*kernel)(grid_slice, Parameter...), launch_extent block,
                                 Rest... rest) {
  if constexpr (sizeof...(Rest) == sizeof...(Parameter)) {
    return plain_with_shared_memory(kernel, block, 0, std::move(rest)...);
  } else {
    static_assert(sizeof...(Rest) == sizeof...(Parameter) + 1,
                  "give plain() one argument for each parameter of the kernel after grid_slice");
    return plain_with_shared_memory(kernel, block, std::move(rest)...);
  }
}

template <class K>
struct is_plain_kernel : std::false_type {};
template <class... Parameter>
struct is_plain_kernel<plain_kernel<Parameter...>> : std::true_type {};
template <class K>
concept plain_kernel_of_any = is_plain_kernel<K>::value;

/// A point in a stream. Any thread may call; nothing here blocks.
class event {
 public:
  virtual ~event() = default;

  /// Whether everything enqueued before the event has finished. Throws device_lost.
  virtual bool reached() = 0;
  /// Device time from `earlier` (same device, both reached) to this event. Throws bad_argument ("event" for
  /// this one, "earlier") for an event without a time.
  virtual std::chrono::nanoseconds since(event const& earlier) const = 0;
};

/// Work in order on one device, asynchronous to the caller. One thread at a time may enqueue.
/// No member synchronises with the device except synchronize(); all throw device_lost after a fault.
class stream {
 public:
  virtual ~stream() = default;  ///< Waits (at most a minute) for what was enqueued; an adopted one does not.

  /// Copies between any two places: device memory of any device, pinned or pageable host memory.
  /// The caller of a GPU's stream may wait until pageable memory was read or written, and waits for a copy
  /// from host memory to host memory. Both ranges must stay valid until done. Words that a running kernel
  /// writes atomically may be copied meanwhile, and words that it polls be written: aligned words of 8 bytes
  /// arrive whole (on the host in copies of up to 16 KiB), in any order within a copy. Who polls a word that
  /// a later copy wrote, with acquire, sees the copies whose events were reached before that copy was
  /// enqueued.
  virtual void copy(void* to, void const* from, std::size_t bytes) = 0;
  /// Copies `rows` times `row_bytes` bytes, as copy() would each; rows begin every `to_pitch` and every
  /// `from_pitch` bytes. Throws bad_argument ("to_pitch", "from_pitch") if several rows would overlap.
  void copy_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                 std::size_t row_bytes, std::size_t rows);
  /// Sets `bytes` bytes of this device's memory, or of pinned memory.
  virtual void fill(void* to, unsigned char byte, std::size_t bytes) = 0;
  /// Launches `grid` blocks; the argument is copied before the call returns. grid 0 does nothing.
  /// Under CUDA_LAUNCH_BLOCKING=1 the call waits for the kernel.
  virtual void launch(kernel_code const& code, std::uint32_t grid, void const* argument,
                      std::size_t bytes) = 0;
  /// The same with all blocks resident at once, as blocks that wait for each other need.
  /// Throws bad_argument ("blocks") if they do not fit.
  virtual void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                                  std::size_t bytes) = 0;
  /// Launches any `__global__` function; the arguments are copied before the call returns. Throws
  /// bad_argument
  /// ("function") if there is none, ballast::error with the kernel's name if CUDA refuses the shape or a
  /// block has less shared memory; then nothing was launched, and stream and device stay sound. On a host
  /// device throws bad_argument ("kernel"): CPU cores run ballast kernels only.
  virtual void launch_plain(plain_launch const& launch) = 0;
  /// An event with a time: reached when everything enqueued so far has finished. Does not wait.
  virtual std::unique_ptr<event> record() = 0;
  /// The same without a time, for who only asks whether it was reached or waits for it: since() refuses it.
  virtual std::unique_ptr<event> record_untimed() = 0;
  /// What is enqueued here later starts after `before`, an event of any stream of the same backend.
  virtual void wait_for(event const& before) = 0;
  /// Whether everything enqueued so far has finished.
  virtual bool idle() = 0;
  /// Whether nothing that was enqueued so far uses memory any more, or will. The same as idle(), but of a
  /// lost device too: blocks of CPU cores that were running then go on.
  virtual bool is_at_rest() noexcept = 0;
  /// Notifies `wake_event`, which outlives that, when everything enqueued so far has finished, also after a
  /// fault: true. A GPU's stream does nothing: false; who waits asks again and again.
  virtual bool notify_on_completion(event_count& wake_event) = 0;
  /// The cudaStream_t, null on the host backend.
  virtual void* native() = 0;

  /// Waits until idle(). Throws timed_out, device_lost.
  void synchronize(deadline until = deadline::in(std::chrono::minutes(10)));

 private:
  /// At least two rows, which do not overlap.
  virtual void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                            std::size_t row_bytes, std::size_t rows) = 0;
  /// Waits until idle(): true; false when the deadline passed first. Throws device_lost.
  virtual bool await_idle(deadline until) = 0;
  virtual std::string const& device_name() const = 0;
};

/// Plain launches that run one after another; at least one.
struct graph_branch {
  /// In the order in which they run.
  std::vector<plain_launch> launches;
  /// Which branches before this one in the list end before it begins.
  std::vector<std::size_t> after = {};
};

/// Branches that run beside each other where none is said to begin after another, launched on a GPU by one
/// call; by compute_device::make_graph(). What
/// was built stays but for the arguments and which launches are left out. One thread at a time may call, and
/// with a stream it is the one that may enqueue there. No member waits; all throw device_lost after a fault,
/// and ballast::error with CUDA's words if CUDA refuses. It may go while it runs: CUDA ends that first.
class launch_graph {
 public:
  virtual ~launch_graph() = default;

  /// How many branches the graph was made of.
  virtual std::size_t branches() const noexcept = 0;
  /// Of one branch. Throws bad_argument ("branch").
  virtual std::size_t launches(std::size_t branch) const = 0;

  /// Enqueues what the first launch would otherwise have to carry to the device.
  virtual void upload(stream& on) = 0;
  /// Enqueues all branches behind what was enqueued to the stream before. One graph never overlaps itself: a
  /// launch also starts after the graph's launches before it, in whichever stream. Who wants two at a time
  /// makes two graphs. Throws bad_argument ("on") if the stream is none of this GPU's.
  virtual void launch(stream& on) = 0;

  /// New arguments, one address per parameter, copied before the call returns; launches of the graph that
  /// were enqueued before keep theirs. All else stays. `index` counts the launches of a branch from 0. Throws
  /// bad_argument ("branch", "index").
  virtual void set_arguments(std::size_t branch, std::size_t index, void* const* arguments) = 0;
  /// Whether this launch takes place in the graph's launches that are enqueued from now on. If it
  /// does not, what follows it waits for what precedes it; its arguments stay, and may be set
  /// meanwhile. Where nothing changes, CUDA is not asked. Throws as set_arguments().
  virtual void set_enabled(std::size_t branch, std::size_t index, bool enabled) = 0;
};

}  // namespace ballast

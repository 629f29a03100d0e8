// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/launch/submission.hpp"
#include "ballast/device.hpp"
#include "ballast/gpu_function.hpp"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/stream.hpp"
#include "ballast/trace.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {
struct dispatchers;
}

namespace ballast {

/// The largest useful number of streams of a device: a GPU runs this many grids concurrently (CUDA, compute
/// capability 9.0).
inline constexpr std::uint32_t max_streams = 128;

/// The order policies by name: each decides which launch of a launch_queue comes next, and on which stream.
BALLAST_API std::vector<named_policy> order_policies();

/// The order keys by name: each chooses among the launches that the order policy would issue now. "fifo", the
/// default, keeps the policy's order.
BALLAST_API std::vector<named_policy> order_keys();

/// The merge policies by name: each decides which kernels may become one launch. "together" is the default.
BALLAST_API std::vector<named_policy> merge_policies();

/// The options of a launch_queue. `order`, `key` and `merge` are names of order_policies(), order_keys()
/// and merge_policies().
struct launch_options {
  /// Which launch stream comes next, and on which stream: one of order_policies(). With "resident", small
  /// kernels of the set go through rings to resident blocks. These stay on the device for some milliseconds
  /// at a time, and count against the budget of resident kernels meanwhile (docs/launch.md).
  std::string order = "adaptive";
  /// Which launch stream goes first if several could: one of order_keys().
  std::string key = "fifo";
  /// Which kernels become one launch: one of merge_policies().
  std::string merge = "together";
  /// True if the queue refuses proposed merges that do not pay (docs/reference/launch-options.md).
  bool filter_merges = true;
  /// GPUs, order "adaptive" and key "fifo" only: short kernels go through rings as with the order "resident"
  /// if their threads wait for each launch, or if a trial finds rings fastest. A CUDA call that waits for the
  /// whole device, such as cudaFree, then waits some 2 ms and for the longest of these kernels. The resident
  /// blocks run across launches, so CUDA does not promise what `__ldg` reads (docs/launch.md).
  bool rings = true;
  /// Physical streams of each device, 1 to 128; 0: 64 on a GPU, two on CPU cores. Launches of different
  /// launch streams run concurrently only on different streams, unless they are merged.
  std::uint32_t streams = 0;
  /// Hardware connections that the process must have, 1 to 32; 0: any number. They must be requested before
  /// the first GPU is opened (request_connections()), so a queue can only check them. CPU cores have none and
  /// accept any number.
  std::uint32_t connections = 0;
  /// The number of launches of one launch stream that may wait to be issued, at least 1; launch() sleeps
  /// while that many wait.
  std::uint64_t max_waiting = 65536;
  /// How long a call, also launch(), waits if no deadline is passed.
  clock::duration timeout = default_timeout;
  /// How long the destructor waits for submitted launches, and then again for those in flight. A launch that
  /// has not ended by then may still report its completion. All memory of the queue then stays allocated
  /// until the end of the process, and the log reports it.
  clock::duration shutdown_timeout = std::chrono::minutes(1);
  /// A recorder (`&recorder`) that receives a span for each launch of a device when the host sees its end.
  /// The span's worker is the stream, its label is the kernel's name or the number of merged kernels, and its
  /// tasks are the launches of launch streams. The span ends when the host saw the end, and is as long as the
  /// launch reported; if the launch reports nothing (a plain kernel, a callable), the span begins when the
  /// launch was issued. The span is recorded before the launch's completion is ready, but completions of
  /// merged kernels may be ready earlier. Devices count as in the queue's list. The recorder must outlive the
  /// queue and its launch streams.
  trace_target trace_to = {};
};

/// How launches of one launch stream rank against those of others.
struct launch_stream_options {
  /// With the key "priority", launches of higher priority go first. Only launches of equal priority are
  /// merged.
  std::int32_t priority = 0;
};

namespace detail {

/// Whether kernels become one launch, or the first reason against it.
enum class merge_verdict : std::uint8_t {
  merge,
  too_many_kernels,
  other_family,
  spills,
  priority_differs,
  arguments_do_not_fit,
  grid_fills_device,
  occupancy_lost,
  time_varies,
  lengths_differ,
  no_gain,
  learned
};
/// The number of verdicts.
inline constexpr std::size_t merge_verdict_count = 12;

/// The verdict's name, as in the enumeration, and one sentence for a report.
BALLAST_API named_policy const& description(merge_verdict verdict);

/// The number of times that each verdict was given.
class BALLAST_API verdict_counts {
 public:
  /// One line of listed().
  struct named_count {
    /// The verdict's name, and a sentence about it.
    named_policy verdict;
    /// The number of times that it was given.
    std::uint64_t count;
  };

  /// Counts one verdict.
  void add(merge_verdict verdict) { ++counts_[static_cast<std::size_t>(verdict)]; }
  /// Adds the counts of others to these.
  void add(verdict_counts const& others) {
    for (std::size_t i = 0; i < merge_verdict_count; ++i) counts_[i] += others.counts_[i];
  }
  /// The number of times that this verdict was given.
  std::uint64_t of(merge_verdict verdict) const { return counts_[static_cast<std::size_t>(verdict)]; }
  std::vector<named_count> listed() const;  ///< every verdict, in the order of the enumeration

 private:
  std::array<std::uint64_t, merge_verdict_count> counts_{};
};

/// A plain kernel with its arguments, as a launch enqueues it.
template <class... Parameter>
class plain_work {
 public:
  plain_work(gpu_function kernel, launch_shape const& shape, Parameter... arguments)
      : kernel_(kernel), shape_(shape), arguments_(std::move(arguments)...) {}

  void operator()(stream& on) {
    void* addresses[sizeof...(Parameter) + 1];
    write_addresses(addresses);
    on.launch_plain({.function = kernel_, .shape = shape_, .arguments = addresses});
  }
  plain_shape shape() const { return {.function = kernel_, .shape = shape_}; }

 private:
  void write_addresses(void** addresses) {
    std::apply([&](auto&... argument) { ((*addresses++ = address_of(argument)), ...); }, arguments_);
  }
  template <class T>
  static void* address_of(T& argument) {
    return const_cast<void*>(static_cast<void const volatile*>(std::addressof(argument)));
  }

  gpu_function kernel_;
  launch_shape shape_;
  std::tuple<std::remove_const_t<Parameter>...> arguments_;
};

}  // namespace detail

/// The errors of predictions, as |predicted / measured - 1|. All 0 if there were none.
struct error_summary {
  /// The number of predictions.
  std::uint64_t count = 0;
  double median = 0;     ///< rounded up to whole percents; 2 stands for 2 and more
  double within_10 = 0;  ///< share of the predictions with an error of at most 10%
  double within_20 = 0;  ///< share with an error of at most 20%
};

/// Counts of a queue so far, over all devices.
struct BALLAST_API launch_statistics {
  /// One line of listed().
  struct named_count {
    /// The name of the counting member.
    std::string_view name;
    /// The member's value.
    std::uint64_t count;
  };
  /// For one device: the errors of the predicted times of merged launches, over all launches and over the
  /// newest.
  struct device_predictions {
    /// The errors of all predictions.
    error_summary all, newest;  ///< the errors of the last 256 predictions
  };

  std::uint64_t launches = 0;         ///< launches on devices, merged ones and others
  std::uint64_t kernels = 0;          ///< launches of launch streams that were issued
  std::uint64_t merged_launches = 0;  ///< those of `launches` that merged two or more kernels
  std::uint64_t merged_kernels = 0;   ///< kernels in merged launches
  /// The one-block kernels among `merged_kernels` that ran on the block of their predecessor in the launch
  /// stream.
  std::uint64_t chained_kernels = 0;
  std::uint64_t direct_launches = 0;  ///< those of `launches` that launch streams issued
  /// The launches, among `launches`, that a resident block took from the ring of its launch stream.
  std::uint64_t resident_kernels = 0;
  std::uint64_t resident_starts = 0;  ///< starts of the kernel with the resident blocks
  detail::verdict_counts verdicts;    ///< on the groups that the merge policy proposed
  /// For each device, in the order of the queue's devices.
  std::vector<device_predictions> predictions;
  /// For each device, its current dispatch mode: "queued", "direct" or "resident"
  /// (docs/explanation/launch-orders.md).
  std::vector<std::string_view> dispatch_modes;
  /// For each device, the hardware connections that its order assumes; max_streams on CPU cores, where each
  /// stream has its own thread.
  std::vector<std::uint32_t> connections;
  /// For each device, the name() of the costs that its decisions use: "defaults", or the day of a
  /// calibration.
  std::vector<std::string> costs;

  /// The counts from `launches` to `resident_starts` with their names, for reports and records.
  std::vector<named_count> listed() const;
};

/// A callable that takes a stream: launch streams can launch it besides kernels.
template <class Work>
concept stream_work = std::invocable < std::decay_t<Work>
&, stream& > ;

/// A sequence of launches that take effect in order: each begins when the previous one has ended. All run on
/// the launch stream's device. Made by launch_queue::make_launch_stream(). Launches of different launch
/// streams are independent. Move only; only one thread at a time may use it, and each thread that launches
/// should have its own. The destructor does not wait, and launches already made are still carried out. After
/// launch_queue::stop(), and once its queue is destroyed, launch() and after() throw stopped.
///
/// launch() copies its arguments and returns without waiting for the device, except that the first launch of
/// a plain function, a lambda, or a kernel outside all sets loads it, which may wait. It sleeps only while
/// launch_options::max_waiting launches of this launch stream wait, and throws timed_out after
/// launch_options::timeout. A launch is not carried out if an earlier one of its launch stream failed, the
/// device was lost, or the queue was stopped. Once a launch has failed, launch() throws that error, and so
/// does wait() of the completions of that launch and all later ones.
class BALLAST_API launch_stream {
 public:
  /// Takes over the launches; the moved-from launch stream may only be assigned or destroyed.
  launch_stream(launch_stream&&) noexcept = default;
  /// Leaves its own launches to be carried out, and takes over those of the other.
  launch_stream& operator=(launch_stream&& other) noexcept;
  ~launch_stream();

  /// Launches `grid` blocks, at least 1, of a ballast kernel. The queue may merge it with kernels of other
  /// launch streams if the kernel is in the queue's set and has at most 192 bytes of members. A kernel
  /// outside the set is launched unmerged, and only a .cu file can launch it. Throws bad_argument ("kernel",
  /// "grid").
  template <kernel_form K, bool CompiledHere = BALLAST_COMPILES_KERNELS>
  completion launch(K const& kernel, std::uint32_t grid) {
    static_assert(!detail::is_for_pools<K>,
                  "kernels of one thread, and those that create tasks or reduce, are for pools");
    static_assert(sizeof(K) <= detail::max_launch_bytes,
                  "this kernel's members exceed 4000 bytes: launch it as indirect<K>");
    static_assert(alignof(K) <= 64, "this kernel is aligned to more than 64 bytes: launch it as indirect<K>");
    check_grid(grid);
    if constexpr (detail::is_mergeable<K>) {
      if (auto const* const mergeable = find_mergeable(key_of<K>)) {
        next_submission().set_kernel(*mergeable, kernel, grid);
        return commit();
      }
    }
    auto const& code = code_of(key_of<K>, detail::code_without_a_set<K, CompiledHere>());
    next_submission().set_lone_kernel(code, kernel, grid);
    return commit();
  }

  /// Launches a kernel that is a lambda for `grid` blocks, if it takes a block_of, or for `grid` items, if it
  /// takes an item; at least 1. Only in a .cu file. Throws bad_argument ("grid").
  template <detail::lambda_kernel Lambda, bool CompiledHere = BALLAST_COMPILES_KERNELS>
  completion launch(Lambda const& body, std::uint32_t grid) {
    check_grid(grid);
    next_submission().set_work(
        detail::lone_lambda<Lambda, CompiledHere>{std::make_shared<Lambda const>(body), grid});
    return commit();
  }

  /// Launches any `__global__` function; the arguments are converted to its parameters and copied. `shape` is
  /// grid, block and shared bytes; CUDA checks it when the launch is issued, so the completion throws the
  /// error. GPUs only: on CPU cores throws bad_argument ("kernel").
  // Inlined, because the calling program or shared library is the one that finds the function.
  template <class... Parameter, class... Argument>
  [[gnu::always_inline]] completion launch(void (*kernel)(Parameter...), launch_shape const& shape,
                                           Argument&&... arguments) {
    static_assert(sizeof...(Parameter) == sizeof...(Argument),
                  "give launch() one argument for each parameter of the kernel");
    throw_if_no_gpu();
    next_submission().set_work(detail::plain_work<Parameter...>(
        kernel, shape, static_cast<Parameter>(std::forward<Argument>(arguments))...));
    return commit();
  }
  /// Launches a plain kernel without dynamic shared memory.
  template <class... Parameter, class... Argument>
  [[gnu::always_inline]] completion launch(void (*kernel)(Parameter...), launch_extent grid,
                                           launch_extent block, Argument&&... arguments) {
    return launch(kernel, launch_shape{grid, block}, std::forward<Argument>(arguments)...);
  }

  ///@{
  /// Launches a kernel that was compiled at run time, by its handle. The arguments are copied as they are,
  /// and nothing can check them: give each the type of the kernel's parameter. Otherwise as a `__global__`
  /// function. Throws bad_argument ("kernel") if the handle is null, or on CPU cores.
  template <gpu_handle Handle, class... Argument>
  completion launch(Handle kernel, launch_shape const& shape, Argument... arguments) {
    static_assert((std::is_trivially_copyable_v<Argument> && ...), "a kernel's arguments travel as bytes");
    if (!gpu_function(kernel)) throw_no_function();
    throw_if_no_gpu();
    next_submission().set_work(detail::plain_work<Argument...>(kernel, shape, std::move(arguments)...));
    return commit();
  }
  template <gpu_handle Handle, class... Argument>
  completion launch(Handle kernel, launch_extent grid, launch_extent block, Argument... arguments) {
    return launch(kernel, launch_shape{grid, block}, std::move(arguments)...);
  }
  ///@}

  /// Launches a callable: `work(stream&)` enqueues anything to the stream, such as copies, fills, or a
  /// library's calls on native(). It is called once, usually on another thread. It must not wait for the
  /// device, keep the stream, use the queue or a launch stream, or own either of them. If it throws, the
  /// exception is this launch's error, and nothing waits for the work that it enqueued before.
  template <stream_work Work>
  completion launch(Work&& work) {
    next_submission().set_work(std::forward<Work>(work));
    return commit();
  }

  /// Lets launches made here later begin only once the work of `other` has ended: a launch of this or another
  /// queue, tasks or a job. If that work fails, these launches are not carried out. Does not wait. If nothing
  /// is launched here later, the call has no effect; the log reports that when the launch stream is
  /// destroyed.
  void after(completion const& other);
  /// Lets launches made here later begin only after an event of any stream. Does not wait.
  void after(std::shared_ptr<event> moment);
  /// Lets launches made here later begin only after everything enqueued to a stream of the caller so far.
  /// Does not wait.
  void after(stream& theirs) { after(std::shared_ptr<event>(theirs.record_untimed())); }
  /// Lets work that the caller enqueues to `theirs` later begin only after everything launched here so far.
  /// Sleeps until those launches are issued, but not until they have ended, at most until the deadline, or
  /// for launch_options::timeout if none is passed. Throws timed_out.
  void precede(stream& theirs, std::optional<deadline> until = {});

  /// Returns a completion that is ready once the last launch has ended, and with it all launches made here so
  /// far. Does not wait.
  completion last() const;
  /// True if all launches made here so far were submitted to the device. Does not wait.
  bool is_issued() const;
  /// Sleeps until is_issued(), at most until the deadline, or for launch_options::timeout if none is passed.
  /// Throws timed_out with the state of the launch stream, and, if one of the launches will not be carried
  /// out, the error that prevents it.
  void wait_issued(std::optional<deadline> until = {}) const;
  /// The device of its launches.
  compute_device& device() const;

 private:
  friend class launch_queue;

  launch_stream(std::shared_ptr<detail::dispatchers> queue, std::shared_ptr<detail::launch_stream_state> line,
                std::uint64_t max_waiting);

  void swap(launch_stream& other) noexcept;
  static void check_grid(std::uint32_t grid);
  detail::mergeable_kernel const* find_mergeable(kernel_key key) const;
  kernel_code const& code_of(kernel_key key, kernel_code const* compiled_here) const;
  [[noreturn]] static void throw_no_function();
  void throw_if_no_gpu() const;
  detail::submission& next_submission();
  completion commit();
  void wait_for_room();

  std::shared_ptr<detail::dispatchers> queue_;
  std::shared_ptr<detail::launch_stream_state> state_;
  std::uint64_t max_waiting_;
  std::vector<detail::dependency> dependencies_;  // of the next launch
};

/// Takes launches from any number of host threads, each with its own launch stream. Decides in which order
/// and on which streams they go to the devices, and which of them are merged (Wende, Cordes and Steinke 2012;
/// "A New Method of Co-Scheduling Cuda Kernels"). One dispatcher thread per device issues them, and sleeps
/// while there is nothing to do. Any thread may call any member.
class BALLAST_API launch_queue {
 public:
  /// Makes a queue that merges no kernels. `devices`: at least one. Throws bad_argument ("devices", "order",
  /// "key", "merge", "streams", "connections", "max_waiting"), device_lost.
  explicit launch_queue(device_list const& devices, launch_options const& options = {});
  /// Makes a queue that may merge the kernels of a set, which must outlive it. Loads them now, which may wait
  /// for the device: on GPUs make the queue before a resident kernel starts. Throws as the other constructor,
  /// and with the order "resident" no_room if a resident kernel runs on one of the devices.
  launch_queue(device_list const& devices, kernel_set const& kernels, launch_options const& options = {});
  launch_queue(launch_queue const&) = delete;
  launch_queue& operator=(launch_queue const&) = delete;
  /// Waits for submitted launches, at most launch_options::shutdown_timeout, unless the queue is paused; then
  /// acts as stop(). If no launch stream is left, it also waits for launches in flight, again at most that
  /// long.
  ~launch_queue();

  /// Makes a launch stream on the device that has the fewest launch streams per multiprocessor. Does not
  /// wait.
  launch_stream make_launch_stream(launch_stream_options const& options = {});
  /// Makes a launch stream on the device with this index in the list, from 0. Does not wait. Throws
  /// bad_argument ("device").
  launch_stream make_launch_stream_on(std::size_t device, launch_stream_options const& options = {});

  /// Stops issuing launches until resume(), except for the launch that is being issued at the call. launch()
  /// continues to accept launches. Neither pause() nor resume() waits.
  void pause();
  /// Starts issuing again, also launches that were submitted during the pause.
  void resume();

  /// Sleeps until everything submitted before the call has finished or failed, at most until the deadline, or
  /// for launch_options::timeout if none is passed. Throws timed_out with the state of the launch streams,
  /// and error in a continuation.
  void wait_all(std::optional<deadline> until = {});
  /// Drops the launches that were not issued yet: their completions, and launch() calls soon after, throw
  /// stopped. Does not wait. Launches of a lost device still throw device_lost.
  void stop();

  /// Counts so far. May wait for a dispatcher while it is busy, never for a device.
  launch_statistics statistics() const;

 private:
  std::shared_ptr<detail::dispatchers> dispatchers_;
};

}  // namespace ballast

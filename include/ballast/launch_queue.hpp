// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/detail/launch/submission.hpp"
#include "ballast/device.hpp"
#include "ballast/kernel.cuh"
#include "ballast/launch_kernels.hpp"
#include "ballast/launch_ticket.hpp"
#include "ballast/policy/merge.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {
class dispatcher;
struct dispatchers;
}

namespace ballast {

/// Streams of a device that are worth having: so many grids run at once (CUDA, compute capability 9.0).
inline constexpr std::uint32_t max_streams = 128;

/// How a launch_queue decides. Names as in order_policies(), order_keys() and merge_policies().
struct launch_options {
  /// Which launch stream comes next, and on which stream: one of order_policies().
  std::string order = "adaptive";
  /// Who is first among several that could: one of order_keys().
  std::string among = "fifo";
  /// Which kernels become one launch: one of merge_policies().
  std::string merge = "together";
  /// Whether groups that the merge policy proposes are refused where they do not pay (docs/launch.md).
  bool filter_merges = true;
  /// GPUs, order "adaptive" and key "fifo" only: plain launches that eight and more launch streams have
  /// waiting, up to 16 of each, go out as one CUDA graph if launches of these functions and shapes recur.
  /// They count as finished together. A graph is built on the way, which may wait for the device; never
  /// beside a resident kernel that already runs, but turn it off if one may be started meanwhile.
  bool graphs = true;
  /// Physical streams of each device, 1 to 128; 0: 64 on a GPU, two on CPU cores. Launches of different
  /// launch streams run side by side only on different streams, unless they are merged.
  std::uint32_t streams = 0;
  /// Hardware connections that the process must have, 1 to 32; 0: however many it has. They are asked for
  /// before the first GPU is opened (request_connections()), so a queue can only check. CPU cores have none
  /// and take any number.
  std::uint32_t connections = 0;
  /// Launches of one launch stream that may wait to be issued, at least 1; launch() sleeps while there are as
  /// many.
  std::uint64_t max_waiting = 65536;
  /// How long launch() sleeps at most.
  std::chrono::nanoseconds submit_timeout = std::chrono::minutes(10);
  /// How long the destructor waits for what was submitted, and how long for what is in flight then. What a
  /// device has not ended by that time may still tell its end: then all memory of the queue stays to the end
  /// of the process, and the log says so.
  std::chrono::nanoseconds shutdown_timeout = std::chrono::minutes(1);
  /// Niceness of the threads that issue, -20 to 19 (lower: more of the processor, Linux); nothing: that of
  /// the thread that makes the queue. Less than that needs CAP_SYS_NICE or RLIMIT_NICE, else the queue is
  /// refused.
  std::optional<int> dispatcher_niceness = std::nullopt;
};

/// How launches of one launch stream are treated among those of others.
struct launch_stream_options {
  /// Higher ones first, where the key is "priority".
  std::int32_t priority = 0;
};

/// What a queue did so far, over all devices.
struct launch_statistics {
  /// One line of listed().
  struct named_count {
    /// The name of the member that was counted.
    std::string_view name;
    /// What it had come to.
    std::uint64_t count;
  };
  /// Of each device: how far the predicted times of merged launches were from the measured ones.
  struct device_predictions {
    /// Of everything predicted.
    error_summary all, newest;  ///< of the last prediction_error::newest_count
  };

  std::uint64_t launches = 0;         ///< that devices were given, merged ones and all others
  std::uint64_t kernels = 0;          ///< launches of launch streams that were issued
  std::uint64_t merged_launches = 0;  ///< of two and more kernels
  std::uint64_t merged_kernels = 0;   ///< in those
  /// Of merged_kernels, those of one block that the block of the kernel before them in their line ran.
  std::uint64_t chained_kernels = 0;
  std::uint64_t issued_by_producers = 0;  ///< of `launches`, on the launch streams' own threads
  /// CUDA graphs that were built for launches that recur.
  std::uint64_t graphs_built = 0;
  std::uint64_t graph_launches = 0;       ///< of `launches`, each of many kernels
  std::uint64_t graph_kernels = 0;        ///< in those
  std::uint64_t graph_arguments_set = 0;  ///< kernels in those whose arguments had to be set
  verdict_counts verdicts;                ///< of groups that the merge policy proposed
  /// In the order of the queue's devices.
  std::vector<device_predictions> predictions;
  /// Of each device, how its launches go now: "merged", "one_by_one" or "direct" (docs/launch.md).
  std::vector<std::string_view> dispatch_modes;
  /// Of each device: the hardware connections that its order counts on. max_streams on CPU cores, where each
  /// stream has a thread of its own.
  std::vector<std::uint32_t> connections;

  /// The counts from `launches` to `graph_arguments_set` under these names, for reports and records.
  std::vector<named_count> listed() const;
};

/// What may be launched beside kernels: called with a stream.
template <class Work>
concept stream_work = std::invocable < std::decay_t<Work>
&, stream& > ;

/// A line of launches that take effect in order: each begins when the one before has ended, on one device,
/// the launch stream's. Made by launch_queue::make_launch_stream(). Launches of different launch streams are
/// independent. Move only; one thread at a time, and each thread that launches should have its own.
/// Destroying it leaves what was launched to be carried out. A launch stream that outlives its queue throws
/// error at launch() and after(), and so after launch_queue::stop().
///
/// launch() copies its arguments and returns without waiting for the device; it sleeps only while
/// launch_options::max_waiting launches wait (then timed_out after launch_options::submit_timeout). Once a
/// launch has failed, it and all later ones of this launch stream throw that error, from launch() and from
/// tickets.
class launch_stream {
 public:
  /// Takes the other one's line of launches over; the other may then only be assigned or destroyed.
  launch_stream(launch_stream&&) noexcept = default;
  /// Leaves what was launched here to be carried out, and takes the other one's line over.
  launch_stream& operator=(launch_stream&& other) noexcept;
  ~launch_stream();

  /// A ballast kernel of the queue's list, `grid` blocks, at least 1. May be merged with kernels of other
  /// launch streams. Throws bad_argument ("kernel", "grid").
  template <kernel_form K>
  launch_ticket launch(K const& kernel, std::uint32_t grid) {
    auto const& listed = listed_kernel_of(key_of<K>, grid);
    next_submission().set_kernel(listed, kernel, grid);
    return commit();
  }

  /// Any `__global__` function; the arguments are converted to its parameters and copied. GPUs only: on CPU
  /// cores throws bad_argument ("kernel"). `shape` is grid, block and shared bytes; CUDA checks it when the
  /// launch is issued.
  template <class... Parameter, class... Argument>
  launch_ticket launch(void (*kernel)(Parameter...), launch_shape const& shape, Argument&&... arguments) {
    static_assert(sizeof...(Parameter) == sizeof...(Argument),
                  "give launch() one argument for each parameter of the kernel");
    throw_if_no_gpu();
    next_submission().set_work(plain_work<Parameter...>(
        kernel, shape, static_cast<Parameter>(std::forward<Argument>(arguments))...));
    return commit();
  }
  /// The same without dynamic shared memory.
  template <class... Parameter, class... Argument>
  launch_ticket launch(void (*kernel)(Parameter...), launch_extent grid, launch_extent block,
                       Argument&&... arguments) {
    return launch(kernel, launch_shape{grid, block}, std::forward<Argument>(arguments)...);
  }

  /// `work(stream&)` enqueues what it likes on the stream: copies, fills, a library's calls on native(). It
  /// is called once, on another thread as a rule; it must not wait for the device, keep the stream, use
  /// the queue or a launch stream, or own either. What it enqueued before it threw is not waited for. What it
  /// throws is this launch's error.
  template <stream_work Work>
  launch_ticket launch(Work&& work) {
    next_submission().set_work(std::forward<Work>(work));
    return commit();
  }

  /// What is launched here later begins after the other launch has ended. If that is not carried out, neither
  /// are these. It concerns nothing if nothing is launched here later, which the log says when the launch
  /// stream goes.
  void after(launch_ticket const& other);
  /// What is launched here later begins after an event of any stream.
  void after(std::shared_ptr<event> moment);
  /// What is launched here later begins after all that was enqueued to a stream of the caller's so far.
  void after(stream& theirs) { after(std::shared_ptr<event>(theirs.record_untimed())); }
  /// What is enqueued to a stream of the caller's later begins after all that was launched here so far.
  /// Sleeps until that was issued, which is not until it has ended. Throws timed_out.
  void precede(stream& theirs, deadline until = deadline::in(std::chrono::minutes(10)));

  /// Of all launches so far, the last one.
  launch_ticket last() const;
  /// The device that its launches go to.
  compute_device& device() const;

 private:
  friend class launch_queue;
  template <class... Parameter>
  class plain_work;

  launch_stream(std::shared_ptr<detail::dispatchers> queue, std::shared_ptr<detail::launch_stream_state> line,
                std::uint64_t max_waiting, std::chrono::nanoseconds submit_timeout);

  void swap(launch_stream& other) noexcept;
  launchable_kernel const& listed_kernel_of(kernel_key key, std::uint32_t grid) const;
  void throw_if_no_gpu() const;
  detail::submission& next_submission();
  launch_ticket commit();
  void wait_for_room();

  std::shared_ptr<detail::dispatchers> queue_;
  std::shared_ptr<detail::launch_stream_state> state_;
  std::uint64_t max_waiting_;
  std::chrono::nanoseconds submit_timeout_;
  std::vector<detail::dependency> dependencies_;  // of the next launch
};

/// A plain kernel with its arguments, as a launch enqueues it.
template <class... Parameter>
class launch_stream::plain_work {
 public:
  plain_work(void (*kernel)(Parameter...), launch_shape const& shape, Parameter... arguments)
      : kernel_(kernel), shape_(shape), arguments_(std::move(arguments)...) {}

  void operator()(stream& on) {
    void* addresses[sizeof...(Parameter) + 1];
    write_addresses(addresses);
    on.launch_plain({.function = function(), .shape = shape_, .arguments = addresses});
  }
  detail::described_launch describe(void** addresses) requires(sizeof...(Parameter) <=
                                                                   detail::max_described_arguments &&
                                                               (std::is_trivially_copyable_v<Parameter> &&
                                                                ...)) {
    write_addresses(addresses);
    return {function(), shape_, argument_bytes};
  }

 private:
  static constexpr std::array<std::uint32_t, sizeof...(Parameter)> argument_bytes{sizeof(Parameter)...};

  void const* function() const { return reinterpret_cast<void const*>(kernel_); }
  void write_addresses(void** addresses) {
    std::apply([&](auto&... argument) { ((*addresses++ = address_of(argument)), ...); }, arguments_);
  }
  template <class T>
  static void* address_of(T& argument) {
    return const_cast<void*>(static_cast<void const volatile*>(std::addressof(argument)));
  }

  void (*kernel_)(Parameter...);
  launch_shape shape_;
  std::tuple<std::remove_const_t<Parameter>...> arguments_;
};

/// Takes launches from any number of host threads, each with a launch stream of its own, and decides in which
/// order and on which streams they go to the devices and which of them go together (Wende, Cordes and Steinke
/// 2012; "A New Method of Co-Scheduling Cuda Kernels"). One thread per device issues them and sleeps while
/// there is nothing to do. Any thread may call any member.
class launch_queue {
 public:
  /// For plain `__global__` functions and callables. `devices`: at least one. Throws bad_argument ("devices",
  /// "order", "among", "merge", "streams", "connections", "max_waiting", "dispatcher_niceness"), device_lost.
  explicit launch_queue(device_list const& devices, launch_options const& options = {});
  /// For ballast kernels of the list too, which are loaded now: on GPUs do so before a resident kernel
  /// starts.
  launch_queue(device_list const& devices, launch_kernels const& kernels, launch_options const& options = {});
  launch_queue(launch_queue const&) = delete;
  launch_queue& operator=(launch_queue const&) = delete;
  /// Waits for what was submitted, at most launch_options::shutdown_timeout, unless the queue is paused; then
  /// as stop(). When no launch stream is left either, what is in flight is waited for, as long once more.
  ~launch_queue();

  /// On the device that has the fewest launch streams for its multiprocessors.
  launch_stream make_launch_stream(launch_stream_options const& options = {});
  /// On the device of that place in the list. Throws bad_argument ("device").
  launch_stream make_launch_stream_on(std::size_t device, launch_stream_options const& options = {});

  /// Nothing is issued between the two, but for what is being issued when pause() is called; launch() goes on
  /// taking launches.
  void pause();
  /// Goes on issuing, also what was submitted while the queue was paused.
  void resume();

  /// Sleeps until all that was submitted before the call has finished, or failed. Throws timed_out with
  /// the state of the launch streams.
  void drain(deadline until = deadline::in(std::chrono::minutes(10)));
  /// What was not issued yet is dropped: its tickets, and launch() calls soon after, throw an error that says
  /// so. Does not wait.
  void stop();

  /// Counts since the queue was made. Any thread may call at any time; nothing is waited for.
  launch_statistics statistics() const;

 private:
  std::shared_ptr<detail::dispatchers> dispatchers_;
};

}  // namespace ballast

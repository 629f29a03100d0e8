// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/device/compute_device.hpp"
#include "ballast/device/kernel_form.cuh"
#include "ballast/device/kernel_identity.hpp"
#include "ballast/device/plain_launch.hpp"
#include "ballast/launch/launch_ticket.hpp"
#include "ballast/launch/submission.hpp"

namespace ballast::inline launch {

class dispatcher;
struct dispatchers;

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
  launch_stream(launch_stream&&) noexcept = default;
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
                  "as many arguments as the kernel has parameters");
    throw_if_no_gpu();
    next_submission().set_work(plain_work<Parameter...>(
        kernel, shape, static_cast<Parameter>(std::forward<Argument>(arguments))...));
    return commit();
  }
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
  compute_device& device() const;

 private:
  friend class launch_queue;
  template <class... Parameter>
  class plain_work;

  launch_stream(std::shared_ptr<dispatchers> queue, std::shared_ptr<launch_stream_state> line,
                std::uint64_t max_waiting, std::chrono::nanoseconds submit_timeout);

  void swap(launch_stream& other) noexcept;
  launchable_kernel const& listed_kernel_of(kernel_key key, std::uint32_t grid) const;
  void throw_if_no_gpu() const;
  submission& next_submission();
  launch_ticket commit();
  void wait_for_room();

  std::shared_ptr<dispatchers> queue_;
  std::shared_ptr<launch_stream_state> state_;
  std::uint64_t max_waiting_;
  std::chrono::nanoseconds submit_timeout_;
  std::vector<dependency> dependencies_;  // of the next launch
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
  described_launch describe(void** addresses) requires(sizeof...(Parameter) <= max_described_arguments &&
                                                       (std::is_trivially_copyable_v<Parameter> && ...)) {
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

}  // namespace ballast::inline launch

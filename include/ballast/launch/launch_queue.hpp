// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ballast/base/deadline.hpp"
#include "ballast/device/compute_device.hpp"
#include "ballast/launch/launch_kernels.hpp"
#include "ballast/launch/launch_options.hpp"
#include "ballast/launch/launch_stream.hpp"

namespace ballast::inline launch {

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
  void resume();

  /// Sleeps until all that was submitted before the call has finished, or failed. Throws timed_out with
  /// the state of the launch streams.
  void drain(deadline until = deadline::in(std::chrono::minutes(10)));
  /// What was not issued yet is dropped: its tickets, and launch() calls soon after, throw an error that says
  /// so. Does not wait.
  void stop();

  launch_statistics statistics() const;

 private:
  std::shared_ptr<dispatchers> dispatchers_;
};

}  // namespace ballast::inline launch

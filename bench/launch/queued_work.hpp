// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "device/timed.hpp"
#include "launch/one_block_kernels.cuh"
#include "launch/parked_threads.hpp"

namespace ballast::bench {

/// Launch streams of a launch_queue that merges nothing, divided among its devices in turn.
class queued_work {
 public:
  queued_work(device_list const& devices, std::string const& order, std::uint32_t streams,
              std::size_t launch_streams)
      : queue_(devices, one_block_kernels(), {.order = order, .merge = "none", .streams = streams}) {
    for (std::size_t i = 0; i < launch_streams; ++i)
      launch_streams_.push_back(queue_.make_launch_stream_on(i % devices.size()));
  }

  launch_stream& operator[](std::size_t place) { return launch_streams_[place]; }
  std::size_t launch_streams() const { return launch_streams_.size(); }
  launch_statistics statistics() const { return queue_.statistics(); }

  /// Calls `submit`, whose launches wait until it has returned. Returns the seconds from then until all are
  /// seen finished.
  double from_resume(std::function<void()> const& submit) {
    queue_.pause();
    submit();
    return seconds_of([&] {
      queue_.resume();
      queue_.wait_all(soon());
    });
  }
  /// Calls `submit` on a thread for each launch stream. Returns the seconds from the threads' start until all
  /// is seen finished.
  double from_threads(std::function<void(std::size_t)> const& submit) {
    return seconds_of_threads(launch_streams(), submit, [&] { queue_.wait_all(soon()); });
  }

 private:
  launch_queue queue_;
  std::vector<launch_stream> launch_streams_;
};

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ballast/launch/launch_queue.hpp"
#include "device/timed.hpp"
#include "launch/one_block_kernels.cuh"
#include "launch/parked_threads.hpp"

namespace ballast::bench {

/// Producers of a launch_queue that merges nothing, dealt out to its devices in turn.
class queued_work {
 public:
  queued_work(device_list const& devices, std::string const& order, std::uint32_t streams,
              std::size_t producers, std::optional<int> issuer_niceness = {})
      : queue_(devices, one_block_kernels(),
               {.order = order, .merge = "none", .streams = streams, .issuer_niceness = issuer_niceness}) {
    for (std::size_t i = 0; i < producers; ++i)
      producers_.push_back(queue_.make_producer_on(i % devices.size()));
  }

  producer& operator[](std::size_t place) { return producers_[place]; }
  std::size_t producers() const { return producers_.size(); }
  launch_statistics statistics() const { return queue_.statistics(); }

  /// All that `submit` launches waits until it has returned: seconds from then until all is seen finished.
  double from_resume(std::function<void()> const& submit) {
    queue_.pause();
    submit();
    return seconds_of([&] {
      queue_.resume();
      queue_.drain(soon());
    });
  }
  /// A thread for each producer: seconds from when they go until all is seen finished.
  double from_threads(std::function<void(std::size_t)> const& submit) {
    return seconds_of_threads(producers(), submit, [&] { queue_.drain(soon()); });
  }

 private:
  launch_queue queue_;
  std::vector<producer> producers_;
};

}  // namespace ballast::bench

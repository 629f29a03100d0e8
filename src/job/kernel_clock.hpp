// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "ballast/device/stream.hpp"

namespace ballast::inline job {

/// When the kernels of one device ran, by its own clock, moved to the host's. CUDA tells times between events
/// as float milliseconds, which are exact only between near ones: so each end is the next one's origin.
class kernel_clock {
 public:
  struct interval {
    std::int64_t begin_ns, end_ns;
  };

  /// `origin` was reached at `at_ns`.
  kernel_clock(std::shared_ptr<event> origin, std::int64_t at_ns)
      : origin_(std::move(origin)), at_ns_(at_ns) {}

  /// Both were reached.
  interval between(event const& begin, std::shared_ptr<event> end) {
    auto const begin_ns = &begin == origin_.get() ? at_ns_ : at_ns_ + begin.since(*origin_).count();
    at_ns_ = begin_ns + end->since(begin).count();
    origin_ = std::move(end);
    return {begin_ns, at_ns_};
  }

 private:
  std::shared_ptr<event> origin_;
  std::int64_t at_ns_;
};

}  // namespace ballast::inline job

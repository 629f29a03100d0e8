// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "ballast/stream.hpp"

namespace ballast::detail {

/// When the kernels of CPU cores ran: what their events tell, moved to the host's clock.
class kernel_clock {
 public:
  struct interval {
    std::int64_t begin_ns, end_ns;
  };

  /// `origin` was reached at `at_ns`.
  kernel_clock(std::shared_ptr<event> origin, std::int64_t at_ns)
      : origin_(std::move(origin)), at_ns_(at_ns) {}

  /// Both were reached.
  interval between(event const& begin, event const& end) const {
    return {at_ns_ + begin.since(*origin_).count(), at_ns_ + end.since(*origin_).count()};
  }

 private:
  std::shared_ptr<event> const origin_;
  std::int64_t const at_ns_;
};

}  // namespace ballast::detail

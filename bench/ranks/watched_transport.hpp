// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "ballast/cluster.hpp"

namespace ballast::bench {

/// The work of a cluster's thread, counted between the thread and its transport. Any thread may read.
struct cluster_traffic {
  std::atomic<std::uint64_t> sent_bytes = 0;
  std::atomic<std::uint64_t> looks = 0;  ///< how often the thread looked for messages that have arrived
  /// CPU time of the thread.
  std::uint64_t cpu_ns() const;
  std::atomic<clockid_t> cpu_clock = CLOCK_THREAD_CPUTIME_ID;  ///< of the thread, while it runs
};

/// Returns a maker that wraps the transport of `make`, and counts its traffic. `into` outlives it.
std::function<std::unique_ptr<detail::transport>()> watched(
    std::function<std::unique_ptr<detail::transport>()> make, cluster_traffic& into);

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "ballast/cluster.hpp"

namespace ballast::bench {

/// What a cluster's thread does, counted between it and what carries its messages. Any thread may read.
struct cluster_traffic {
  std::atomic<std::uint64_t> sent_bytes = 0;
  std::atomic<std::uint64_t> looks = 0;  ///< for messages that have come
  /// CPU time of the thread.
  std::uint64_t cpu_ns() const;
  std::atomic<clockid_t> cpu_clock = CLOCK_THREAD_CPUTIME_ID;  ///< of the thread, as long as it runs
};

/// Makes what `make` makes, and counts what goes through it. `into` outlives it.
std::function<std::unique_ptr<detail::transport>()> watched(
    std::function<std::unique_ptr<detail::transport>()> make, cluster_traffic& into);

}  // namespace ballast::bench

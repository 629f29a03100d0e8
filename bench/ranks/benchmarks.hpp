// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ballast/cluster.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// Of a number of each rank; every rank calls it.
using sum_over_ranks = std::function<std::uint64_t(std::uint64_t)>;

/// What each rank calls, with the same `quick`: rank 0 with the session that is filled, the others with null.
/// `ping_pong_us`: round trips of 64 bytes between the first two ranks, without a queue.
void measure_ranks(session* now, cluster& ranks, device_list const& devices, bool quick,
                   std::vector<double> const& ping_pong_us, sum_over_ranks const& sum);

}  // namespace ballast::bench

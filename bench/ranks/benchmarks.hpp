// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ballast/cluster.hpp"
#include "harness/session.hpp"
#include "ranks/mpi_process.hpp"

namespace ballast::bench {

/// What each rank calls, with the same `quick`: rank 0 with the session that is filled, the others with null.
/// `ping_pong_us`: round trips of 64 bytes between the first two ranks, before there was a cluster.
void measure_ranks(session* now, mpi_process const& mpi, cluster& ranks, device_list const& devices,
                   bool quick, std::vector<double> const& ping_pong_us);

/// The same, of naps alone, on a cluster whose ranks say more often that they live.
void measure_heartbeats(session* now, cluster& ranks, device_list const& devices, bool quick);
/// What each rank calls: rank 0 has naps for all, and gets which device of which rank took which, and when.
recording trace_ranks(cluster& ranks, device_list const& devices);

}  // namespace ballast::bench

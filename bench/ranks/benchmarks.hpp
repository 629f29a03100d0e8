// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ballast/cluster.hpp"
#include "harness/session.hpp"
#include "ranks/mpi_process.hpp"
#include "ranks/place.hpp"
#include "ranks/watched_transport.hpp"

namespace ballast::bench {

/// Each rank calls it first, with the same `quick`: rank 0 with the session to fill, the others with null.
place begin_ranks(session* now, cluster& ranks, device_list const& devices, bool quick);
/// Each rank calls it. `traffic` counts the work of the cluster's thread.
void measure_ranks(place const& at, mpi_process const& mpi, cluster_traffic const& traffic);
///@{
/// Parts of measure_ranks(), which can be measured alone: naps that policies share, the length of naps that
/// keep workers asleep half of the time, and trees.
void measure_naps(place const& at);
void measure_grain(place const& at, mpi_process const& mpi);
void measure_trees(place const& at, mpi_process const& mpi);
/// @}
/// Each rank calls it while there is no cluster: measures round trips of 64 bytes between the first two
/// ranks, alone and beside an idle resident kernel on each rank's devices.
void measure_ping_pong(session* now, mpi_process const& mpi, device_list const& devices, bool quick);
/// The rate at which rank 0 gives tasks to others, and the delay until a rank that asks gets one.
void measure_handing(place const& at, mpi_process const& mpi, cluster_traffic const& traffic);
/// The rate at which data written by other ranks' devices reaches rank 0, compared with MPI alone.
void measure_reads(place const& at, mpi_process const& mpi);

/// Measures naps alone, on a cluster with more frequent heartbeats. Each rank calls it.
void measure_heartbeats(session* now, cluster& ranks, device_list const& devices, bool quick);
/// Each rank calls it: measures the CPU time of the idle cluster's thread, with heartbeats at the interval
/// `often`.
void measure_watching(place const& at, cluster_traffic const& traffic, std::string const& often);
/// Measures the cost of heartbeats, and of a rank's checks each time that it looks for messages, for this
/// many ranks and for 1024. Call it after measure_watching().
void measure_checks(session& now, std::uint32_t ranks);
/// Each rank calls it, on a cluster with these options: the ranks are killed one after another, and rank 0
/// records how soon waiting ranks know. Returns on rank 0.
void measure_losses(place const& at, mpi_process const& mpi, cluster_options const& watch);

/// Each rank calls it: rank 0 has naps for all ranks, and receives which device of which rank ran which nap,
/// and when.
recording trace_ranks(cluster& ranks, device_list const& devices);

}  // namespace ballast::bench

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

/// What each rank calls first, with the same `quick`: rank 0 with the session that is filled, the others with
/// null.
place begin_ranks(session* now, cluster& ranks, device_list const& devices, bool quick);
/// What each rank calls. `traffic`: of the cluster's thread.
void measure_ranks(place const& at, mpi_process const& mpi, cluster_traffic const& traffic);
///@{
/// Parts of that, which can be measured alone: naps that policies share, how long naps must be that workers
/// sleep half of the time, and trees.
void measure_naps(place const& at);
void measure_grain(place const& at, mpi_process const& mpi);
void measure_trees(place const& at, mpi_process const& mpi);
///@}
/// What each rank calls while there is no cluster: round trips of 64 bytes between the first two ranks, alone
/// and beside an idle resident kernel on each rank's devices.
void measure_ping_pong(session* now, mpi_process const& mpi, device_list const& devices, bool quick);
/// How fast rank 0 hands tasks to others, and how soon one that asks has one.
void measure_handing(place const& at, mpi_process const& mpi, cluster_traffic const& traffic);
/// How fast what the devices of other ranks wrote comes to rank 0, beside MPI alone.
void measure_reads(place const& at, mpi_process const& mpi);

/// The same, of naps alone, on a cluster whose ranks say more often that they live.
void measure_heartbeats(session* now, cluster& ranks, device_list const& devices, bool quick);
/// What each rank calls: CPU time that the cluster's thread takes while it has nothing to do, where ranks say
/// so `often` that they live.
void measure_watching(place const& at, cluster_traffic const& traffic, std::string const& often);
/// After that: what heartbeats cost, and what a rank of so many, and of 1024, checks in each look.
void measure_checks(session& now, std::uint32_t ranks);
/// What each rank calls, on a cluster with these options: one rank after the other is killed, and rank 0 says
/// how soon those who wait know. Returns on rank 0.
void measure_losses(place const& at, mpi_process const& mpi, cluster_options const& watch);

/// What each rank calls: rank 0 has naps for all, and gets which device of which rank took which, and when.
recording trace_ranks(cluster& ranks, device_list const& devices);

}  // namespace ballast::bench

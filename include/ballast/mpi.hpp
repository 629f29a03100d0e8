// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "ballast/cluster.hpp"
#include "ballast/deadline.hpp"

namespace ballast {

/// How the ranks of a cluster use MPI. Needs the target ballast::mpi, but not MPI's header.
struct mpi_options {
  /// The address of an MPI_Comm of the program, read once; nullptr is MPI_COMM_WORLD. The cluster has the
  /// same ranks, but uses its own communicator, which renumbers them: ranks of a host are consecutive, in
  /// their old order.
  void const* communicator = nullptr;
  /// How long the start and the end wait for the other ranks, in addition to MPI_Init and MPI_Finalize.
  clock::duration timeout = default_timeout;
};

namespace detail {

/// Returns a function that makes a transport over MPI, on one thread, on each rank of the communicator. The
/// transport initialises MPI if the program has not; closing it then finalises MPI, which a process can do
/// only once. The returned function throws bad_argument ("thread level of MPI") if the program has
/// initialised MPI at a level that excludes this thread; error if another live cluster has initialised it, or
/// if MPI was finalised or fails; and timed_out.
std::function<std::unique_ptr<transport>()> mpi_transport(mpi_options const& options = {});

}  // namespace detail

/// The cluster of all processes that mpirun or srun started; one rank where neither did. Collective. Throws
/// as the constructor of cluster, and where MPI cannot be used: error, bad_argument ("thread level of MPI"),
/// timed_out. If MPI was not initialised before, the end of the cluster finalises it, so a process can make
/// only one such cluster.
inline cluster mpi_cluster(mpi_options const& mpi = {}, cluster_options const& options = {}) {
  return cluster(detail::mpi_transport(mpi), options);
}

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "ballast/cluster.hpp"
#include "ballast/deadline.hpp"

namespace ballast {

/// How the ranks of a cluster use MPI. Needs the target ballast::mpi, not the header of MPI.
struct mpi_options {
  /// The address of an MPI_Comm of the program, read once; nullptr is MPI_COMM_WORLD. Its ranks are those of
  /// the cluster, which uses a communicator of its own and numbers them anew: those of a host are
  /// consecutive, in the order that they had.
  void const* communicator = nullptr;
  /// How long the start and the end wait for the other ranks, beyond what MPI_Init and MPI_Finalize do.
  clock::duration timeout = default_timeout;
};

namespace detail {

/// Makes a transport over MPI, on one thread, on each rank of the communicator. Initialises MPI if the
/// program has not; closing it then finalises MPI, which a process can do only once. Throws bad_argument
/// ("thread level of MPI") if the program has initialised MPI at a level that excludes this thread; error if
/// another live cluster has initialised it, or if MPI was finalised or fails; and timed_out.
std::function<std::unique_ptr<transport>()> mpi_transport(mpi_options const& options = {});

}  // namespace detail

/// The cluster of all processes that mpirun or srun started; one rank where neither did. Collective. Throws
/// as the constructor of cluster, and where MPI cannot be used: error, bad_argument ("thread level of MPI"),
/// timed_out. Where nobody has initialised MPI the end of the cluster finalises it, so that a process has one
/// such cluster in its life.
inline cluster mpi_cluster(mpi_options const& mpi = {}, cluster_options const& options = {}) {
  return cluster(detail::mpi_transport(mpi), options);
}

}  // namespace ballast

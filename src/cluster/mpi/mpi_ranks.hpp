// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <string>

#include "ballast/deadline.hpp"
#include "transport.hpp"

namespace ballast::detail {

/// Throws error with MPI's own message, unless the call succeeded.
void check_mpi(int status, char const* call);
/// MPI's message for a status.
std::string words_of_mpi(int status);

/// A communicator in which the ranks of each host are consecutive.
struct ranks_by_host {
  MPI_Comm communicator = MPI_COMM_NULL;
  cluster_place place;
  int hosts = 1;
};

/// Orders all ranks by host; `host` contains the ranks of this rank's host, in the same order. Collective.
ranks_by_host order_by_host(MPI_Comm all, MPI_Comm host);

/// The ranks of a communicator; initialises MPI if the program has not. One thread makes and calls it, and
/// makes all calls that use its communicator.
class mpi_ranks {
 public:
  /// Collective; waits for the other ranks. Throws as mpi_transport() does.
  mpi_ranks(MPI_Comm of, clock::duration timeout);

  MPI_Comm communicator() const { return ranks_.communicator; }
  /// For placed messages; contains the same ranks.
  MPI_Comm placed_communicator() const { return placed_; }
  cluster_place const& place() const { return ranks_.place; }
  std::string const& description() const { return description_; }
  /// Collective; no message may be in transit. Finalises MPI if it was initialised here.
  void end();

 private:
  bool initialised_here_;
  ranks_by_host ranks_;
  MPI_Comm placed_ = MPI_COMM_NULL;
  std::string description_;
};

}  // namespace ballast::detail

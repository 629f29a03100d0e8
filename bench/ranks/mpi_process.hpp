// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ballast::bench {

/// This process among those that mpirun or srun started, and what they tell each other beside a cluster.
/// Called by one thread. A process that fails leaves MPI as it is: launchers then end the others.
class mpi_process {
 public:
  /// Initialises MPI, so that a cluster can use it as well.
  mpi_process();
  /// Waits for the others and finalises MPI.
  void end();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Collective: what each rank says, by rank, on rank 0; elsewhere empty. A rank of which nothing is heard
  /// for 10 s has nothing there, and then the process cannot end().
  std::vector<std::optional<std::string>> gather(std::string const& said) const;
  /// Collective: what rank 0 says.
  bool go_on(bool said = false) const;
  /// Collective: of what all ranks say.
  std::uint64_t sum(std::uint64_t mine) const;
  /// Round trips of 64 bytes between the first two ranks, in microseconds; none elsewhere.
  std::vector<double> ping_pong_us(int samples) const;

 private:
  int rank_ = 0, ranks_ = 1;
};

}  // namespace ballast::bench

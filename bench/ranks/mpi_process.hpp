// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ballast::bench {

/// This process among those that mpirun or srun started, and their communication outside a cluster. Called by
/// one thread. A process that fails leaves MPI as it is: launchers then end the others.
class mpi_process {
 public:
  /// Initialises MPI, so that a cluster can use it as well.
  mpi_process();
  /// Waits for the others and finalises MPI.
  void end();

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Collective: on rank 0 returns the texts of all ranks, by rank; elsewhere empty. A rank that is silent
  /// for 10 s has no text, and the process must then not call end().
  std::vector<std::optional<std::string>> gather(std::string const& said) const;
  /// Collective: returns rank 0's value.
  bool go_on(bool said = false) const;
  /// Collective: the sum over all ranks.
  std::uint64_t sum(std::uint64_t mine) const;
  /// Sends a number to another rank, which must call hear().
  void tell(int rank, std::uint64_t number) const;
  /// Waits for a number from another rank. Throws timed_out.
  std::uint64_t hear(int rank) const;
  /// Round trips of 64 bytes between the first two ranks, in microseconds; empty elsewhere.
  std::vector<double> ping_pong_us(int samples) const;
  /// The rate at which rank 1 receives messages of rank 0, which fill its memory from one end to the other
  /// and again from the beginning, in million bytes per second; on rank 0. A sample covers all that memory,
  /// and at least 50 MiB.
  std::vector<double> stream_mb_per_s(int samples, std::size_t message_bytes = 65536,
                                      std::size_t memory_bytes = 8 * 65536) const;
  /// The time from a question of rank 1 until a sleeping thread there can begin the answer's work, in
  /// microseconds; on rank 0. As between two ranks of a cluster_queue, another thread passes the messages on,
  /// and waits for them as a cluster does.
  std::vector<double> question_us(int samples) const;

 private:
  int rank_ = 0, ranks_ = 1;
};

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  /// Tells another rank a number, which is to hear() it.
  void tell(int rank, std::uint64_t number) const;
  /// Waits for what another rank tells this one. Throws timed_out.
  std::uint64_t hear(int rank) const;
  /// Round trips of 64 bytes between the first two ranks, in microseconds; none elsewhere.
  std::vector<double> ping_pong_us(int samples) const;
  /// What rank 1 takes in of messages that rank 0 sends, from one end of their memory to the other and again
  /// from its begin, in million bytes a second; on rank 0. A sample is of all that memory, at least of 50
  /// MiB.
  std::vector<double> stream_mb_per_s(int samples, std::size_t message_bytes = 65536,
                                      std::size_t memory_bytes = 8 * 65536) const;
  /// How long a question of rank 1 takes until a thread there, which slept, can begin what the answer says,
  /// in microseconds; on rank 0. As between two ranks of a cluster_queue another thread is between it and the
  /// one that asks, and who waits for messages looks as a cluster does.
  std::vector<double> question_us(int samples) const;

 private:
  int rank_ = 0, ranks_ = 1;
};

}  // namespace ballast::bench

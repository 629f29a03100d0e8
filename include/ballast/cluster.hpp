// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/trace.hpp"

namespace ballast {
namespace detail {
class transport;
class cluster_thread;
class job_peers;
}

/// How the ranks of a cluster watch each other.
struct cluster_options {
  /// How often a rank tells some others that it lives; at least a millisecond.
  clock::duration heartbeat = std::chrono::seconds(1);
  /// A rank of which nothing was heard for so long is lost, and never comes back; at least three heartbeats.
  /// Only while something is open on the cluster, such as a cluster_queue.
  clock::duration lost_after = std::chrono::seconds(30);
  /// How long the end waits for the other ranks.
  clock::duration timeout = default_timeout;
};

/// The ranks of one run, of which this process is one. A rank is a process with devices of its own, or, of
/// in_process_clusters(), a part of one. A thread of its own sends and receives all messages; it yields and
/// sleeps when there are none, and calls nothing of CUDA. Any thread may call any member.
class cluster {
 public:
  /// This process alone: rank 0 of 1.
  cluster();
  /// For makers of clusters, such as mpi_cluster(). Collective: every rank makes one. Waits for the others.
  /// Throws bad_argument ("heartbeat", "lost_after"), and what `make` throws, which is called on the thread.
  explicit cluster(std::function<std::unique_ptr<detail::transport>()> make, cluster_options options = {});
  /// Collective: waits for the other ranks, at most for cluster_options::timeout; at once if a rank was lost.
  /// What was opened on it must be gone.
  ~cluster();
  cluster(cluster&&) noexcept;             ///< The other may only be destroyed.
  cluster& operator=(cluster&&) noexcept;  ///< As the destructor; the other may only be destroyed.

  /// This process among all, from 0.
  std::uint32_t rank() const;
  /// Of the whole cluster, at least 1.
  std::uint32_t ranks() const;
  /// Which host of the cluster the rank is on: the first rank of the host. Ranks of a host are consecutive.
  std::uint32_t host_first() const;
  /// Ranks on the same host, this one among them.
  std::uint32_t host_ranks() const;
  /// The ranks that are lost, as this one knows it.
  std::vector<std::uint32_t> lost() const;
  /// What carries the messages, in one line.
  std::string describe() const;

  /// For what is opened on it.
  detail::cluster_thread& thread() const { return *thread_; }

 private:
  std::unique_ptr<detail::cluster_thread> thread_;
};

/// Clusters whose ranks are parts of this process, rank i being element i: to try programs for several ranks
/// without MPI, and to test them. What is collective is to be called by a thread for each. Throws
/// bad_argument ("ranks") for none, and as the constructor.
std::vector<cluster> in_process_clusters(std::uint32_t ranks, cluster_options const& options = {});

/// What job_options::peers takes: the ranks of a cluster, for one scheduler; null for one rank alone. It
/// goes, and its scheduler, before the cluster does. Collective, as making the scheduler is. Waits for
/// nothing.
std::shared_ptr<detail::job_peers> job_peers_of(cluster& ranks);

/// Collective: what all ranks have recorded, one after the other, on rank 0; nothing elsewhere. Devices are
/// called "rank 3 cuda:0", and times are those of rank 0's clock, but for half a round trip of a message.
/// A rank that is lost is left out. Pure functions of spans, such as device_loads(), then say what each
/// device of each rank did, and save_chrome_trace() writes one file. Waits for all ranks until `until` at
/// most. Throws timed_out with the ranks that are missing, and error if rank 0 is lost.
recording gather_recordings(cluster& over, recording mine, deadline until = deadline::in(default_timeout));

}  // namespace ballast

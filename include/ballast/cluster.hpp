// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "ballast/task.hpp"
#include "ballast/trace.hpp"
#include "ballast/version.hpp"

namespace ballast {
namespace detail {
class transport;
class cluster_thread;
class job_peers;
}

/// How the ranks of a cluster watch each other for failures.
struct cluster_options {
  /// The interval at which a rank signals to some other ranks that it lives; at least a millisecond.
  clock::duration heartbeat = std::chrono::seconds(1);
  /// How long a rank may be silent before it is lost for good; at least three heartbeats. Applies only while
  /// something is open on the cluster, such as a cluster_queue, and at the cluster's end.
  clock::duration lost_after = std::chrono::seconds(30);
  /// How long the end waits for the other ranks.
  clock::duration timeout = default_timeout;
};

/// Ranks were lost, and perhaps tasks with them. The message ends with the cause that a lost rank reported.
class BALLAST_API rank_lost : public error {
 public:
  /// `what` is the whole message.
  rank_lost(std::string const& what, std::vector<std::uint32_t> ranks, std::vector<task> perhaps_run = {})
      : error(what), ranks_(std::move(ranks)), perhaps_run_(std::move(perhaps_run)) {}

  /// All ranks that had been lost when this was thrown.
  std::vector<std::uint32_t> const& ranks() const noexcept { return ranks_; }
  /// The tasks of a cluster_queue's batch that were on the lost ranks and may or may not have run; the
  /// batch's other tasks have run. Empty if the queue was destroyed, and for work of any other kind.
  std::vector<task> const& perhaps_run() const noexcept { return perhaps_run_; }

 private:
  std::vector<std::uint32_t> ranks_;
  std::vector<task> perhaps_run_;
};

/// The ranks of one run, of which this process is one. A rank is a process with devices of its own; with
/// in_process_clusters() it is a part of a process. A separate thread sends and receives all messages. It
/// yields and sleeps when there are no messages, and calls nothing of CUDA. Any thread may call any member.
class BALLAST_API cluster {
 public:
  /// Makes a cluster of this process alone: rank 0 of 1.
  cluster();
  /// Makes this rank's part of a cluster. Collective: every rank makes its part. Calls `make` on the
  /// cluster's thread and waits for the result; over MPI, `make` waits for the other ranks. For functions
  /// that make clusters, such as mpi_cluster(). Throws bad_argument ("heartbeat", "lost_after"), and what
  /// `make` throws.
  explicit cluster(std::function<std::unique_ptr<detail::transport>()> make, cluster_options options = {});
  /// Collective: waits for the other ranks, at most for cluster_options::timeout, or not at all if a rank was
  /// lost. If an exception leaves the cluster's scope, or something was not closed, this rank reports to the
  /// others that it has failed, and does not wait. Destroy everything that was opened on the cluster first.
  ~cluster();
  cluster(cluster&&) noexcept;             ///< The moved-from cluster may only be destroyed.
  cluster& operator=(cluster&&) noexcept;  ///< Closes this cluster first. The moved-from one may only be
                                           ///< destroyed.

  /// The number of this rank, from 0.
  std::uint32_t rank() const;
  /// The number of ranks of the whole cluster, at least 1.
  std::uint32_t ranks() const;
  /// The first rank on this rank's host, which identifies the host. Ranks of a host are consecutive.
  std::uint32_t host_first() const;
  /// The number of ranks on this host, including this one.
  std::uint32_t host_ranks() const;
  /// The ranks that this one knows to be lost.
  std::vector<std::uint32_t> lost() const;
  /// One line that names the transport.
  std::string describe() const;
  /// Ends this rank's part: everything that is open on the cluster fails, and the others count this rank as
  /// lost at once, with `why` as the cause (its first 2000 bytes). For code that catches an exception which
  /// the destructor would not see. Only the first call counts. Does not wait.
  void fail(std::string_view why);

  /// The thread that sends and receives messages, for objects that are opened on the cluster.
  detail::cluster_thread& thread() const { return *thread_; }

 private:
  std::unique_ptr<detail::cluster_thread> thread_;
};

/// Clusters whose ranks are parts of this process, rank i being element i: for trying and testing programs of
/// several ranks without MPI. Each rank needs a thread of its own for collective calls. Throws bad_argument
/// ("ranks") for 0 ranks, and as the constructor.
BALLAST_API std::vector<cluster> in_process_clusters(std::uint32_t ranks,
                                                     cluster_options const& options = {});

/// Collective: compares the names and values of the ranks' options, since ranks that differ in them would
/// wait for each other forever. Throws bad_argument on all ranks, with the first option that differs and its
/// values on two of them; rank_lost if rank 0 is lost; timed_out. Waits for all ranks, until `until` at most.
BALLAST_API void require_same_options(cluster& over,
                                      std::vector<std::pair<std::string, std::string>> const& options,
                                      deadline until = deadline::in(default_timeout));

/// Makes the value of job_options::ranks: the ranks of a cluster, for one scheduler; null for one rank alone.
/// Destroy this value and the scheduler before the cluster. Collective, like making the scheduler. Waits for
/// nothing.
BALLAST_API std::shared_ptr<detail::job_peers> job_peers_of(cluster& ranks);

/// Collective: on rank 0 returns the recordings of all ranks, one after another; elsewhere nothing. Devices
/// are called "rank 3 cuda:0". Times are on rank 0's clock, to within half a message's round trip. A rank
/// that is lost is left out. Pure functions of spans, such as device_loads(), then cover each device of each
/// rank, and save_chrome_trace() writes one file. Waits for all ranks until `until` at most. Throws timed_out
/// with the ranks that are missing, and rank_lost if rank 0 is lost.
BALLAST_API recording gather_recordings(cluster& over, recording mine,
                                        deadline until = deadline::in(default_timeout));

}  // namespace ballast

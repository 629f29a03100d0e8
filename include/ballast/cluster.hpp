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

/// How the ranks of a cluster watch each other.
struct cluster_options {
  /// The interval at which a rank signals to some others that it lives; at least a millisecond.
  clock::duration heartbeat = std::chrono::seconds(1);
  /// A rank that has been silent for this long is lost, and never comes back; at least three heartbeats.
  /// Applies only while something is open on the cluster, such as a cluster_queue, and at the cluster's end.
  clock::duration lost_after = std::chrono::seconds(30);
  /// How long the end waits for the other ranks.
  clock::duration timeout = default_timeout;
};

/// Ranks were lost, and perhaps tasks with them. What a lost rank itself said of the cause ends the sentence.
class BALLAST_API rank_lost : public error {
 public:
  /// `what` is the whole sentence.
  rank_lost(std::string const& what, std::vector<std::uint32_t> ranks, std::vector<task> perhaps_run = {})
      : error(what), ranks_(std::move(ranks)), perhaps_run_(std::move(perhaps_run)) {}

  /// All ranks that were lost by then.
  std::vector<std::uint32_t> const& ranks() const noexcept { return ranks_; }
  /// The tasks of a cluster_queue's batch that were on the lost ranks and may or may not have run; the
  /// batch's other tasks have run. Empty if the queue has gone, and for all other work.
  std::vector<task> const& perhaps_run() const noexcept { return perhaps_run_; }

 private:
  std::vector<std::uint32_t> ranks_;
  std::vector<task> perhaps_run_;
};

/// The ranks of one run, of which this process is one. A rank is a process with devices of its own, or, of
/// in_process_clusters(), a part of one. A thread of its own sends and receives all messages; it yields and
/// sleeps when there are none, and calls nothing of CUDA. Any thread may call any member.
class BALLAST_API cluster {
 public:
  /// This process alone: rank 0 of 1.
  cluster();
  /// Called by functions that make clusters, such as mpi_cluster(). Collective: every rank makes one. Waits
  /// for the others. Throws bad_argument ("heartbeat", "lost_after"), and what `make` throws, which is called
  /// on the cluster's thread.
  explicit cluster(std::function<std::unique_ptr<detail::transport>()> make, cluster_options options = {});
  /// Collective: waits for the other ranks, at most for cluster_options::timeout; for none if a rank was
  /// lost. If an exception leaves the scope of the cluster, or something was not closed, the others hear that
  /// this rank has failed, and it does not wait. What was opened on it must be gone.
  ~cluster();
  cluster(cluster&&) noexcept;             ///< The other may then only be destroyed.
  cluster& operator=(cluster&&) noexcept;  ///< Closes this one first; the other may then only be destroyed.

  /// This process among all, from 0.
  std::uint32_t rank() const;
  /// Of the whole cluster, at least 1.
  std::uint32_t ranks() const;
  /// The host of the rank, named by the first rank on it. Ranks of a host are consecutive.
  std::uint32_t host_first() const;
  /// Ranks on the same host, this one among them.
  std::uint32_t host_ranks() const;
  /// The ranks that are lost, as this one knows it.
  std::vector<std::uint32_t> lost() const;
  /// What carries the messages, in one line.
  std::string describe() const;
  /// This rank goes on no more: what is open on the cluster fails, and the others take this rank for lost at
  /// once and hear why, up to 2000 bytes of it. For what catches an exception that the destructor would not
  /// know. The first call counts. Waits for nothing.
  void fail(std::string_view why);

  /// For what is opened on it.
  detail::cluster_thread& thread() const { return *thread_; }

 private:
  std::unique_ptr<detail::cluster_thread> thread_;
};

/// Clusters whose ranks are parts of this process, rank i being element i: to try programs for several ranks
/// without MPI, and to test them. What is collective is to be called by a thread for each. Throws
/// bad_argument ("ranks") for none, and as the constructor.
BALLAST_API std::vector<cluster> in_process_clusters(std::uint32_t ranks,
                                                     cluster_options const& options = {});

/// Collective: compares the ranks' options, each with its value, since ranks that do different things wait
/// for each other. Throws bad_argument on all ranks, with the first option that differs and its values on two
/// of them; rank_lost if rank 0 is lost; timed_out. Waits for all ranks, until `until` at most.
BALLAST_API void require_same_options(cluster& over,
                                      std::vector<std::pair<std::string, std::string>> const& options,
                                      deadline until = deadline::in(default_timeout));

/// Makes the value of job_options::ranks: the ranks of a cluster, for one scheduler; null for one rank alone.
/// Both it and its scheduler must be gone before the cluster. Collective, like making the scheduler. Waits
/// for nothing.
BALLAST_API std::shared_ptr<detail::job_peers> job_peers_of(cluster& ranks);

/// Collective: what all ranks have recorded, one after the other, on rank 0; nothing elsewhere. Devices are
/// called "rank 3 cuda:0", and times are those of rank 0's clock, but for half a round trip of a message.
/// A rank that is lost is left out. Pure functions of spans, such as device_loads(), then say what each
/// device of each rank did, and save_chrome_trace() writes one file. Waits for all ranks until `until` at
/// most. Throws timed_out with the ranks that are missing, and rank_lost if rank 0 is lost.
BALLAST_API recording gather_recordings(cluster& over, recording mine,
                                        deadline until = deadline::in(default_timeout));

}  // namespace ballast

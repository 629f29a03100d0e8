// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/balanced_queue.hpp"
#include "ballast/cluster.hpp"
#include "ballast/completion.hpp"
#include "ballast/error.hpp"
#include "ballast/result_ref.cuh"
#include "ballast/task.hpp"
#include "ballast/version.hpp"

namespace ballast {

/// The share policies by name: each decides which tasks move between ranks. "lifeline" is the default.
BALLAST_API std::vector<named_policy> share_policies();

/// How a cluster_queue moves tasks between ranks, and distributes tasks among a rank's devices.
struct cluster_queue_options {
  std::string policy = "lifeline";  ///< a name of share_policies(); the same on all ranks
  std::uint64_t seed = 0;           ///< for ranks that are chosen at random
  /// Options of the rank's devices; queue.timeout is also how long the cluster_queue waits.
  balanced_options devices = {};
};

/// A queue over the ranks of a cluster, each with devices of its own. Tasks that are submitted on any rank
/// run exactly once, on any device of any rank: a rank that runs out of tasks asks others for some. A kernel
/// declares which of its members are addresses (kernel_travel). Results come back through result_ref or lie
/// in published arrays. If a rank is lost the others continue. The lost rank's tasks are executed again if
/// all kernels of their batch are `repeatable`, otherwise their completion fails with rank_lost.
///
/// Tasks may create tasks. Created tasks also move to ranks and devices whose workers have no tasks, if their
/// kernel declares how its members travel and has no result_ref. A task has run once all its descendants
/// have: its completion, close() and stop() wait for the descendants, and a result_ref that it passes on to
/// its children holds their result. If a kernel of the set creates tasks, a batch is executed again after a
/// loss only if all kernels of the set are `repeatable`.
///
/// The constructor, publish(), close() and stop() are collective: every rank calls them, in the same order.
/// Any number of threads may submit and wait concurrently; only one thread at a time may call the other
/// members.
class BALLAST_API cluster_queue {
 public:
  /// Starts the devices (at least one), and waits for all ranks, at most for devices.queue.timeout. `over`
  /// and `kernels` must outlive the queue. Throws as the constructor of balanced_queue, bad_argument
  /// ("policy", "kernels") if the ranks do not name the same policy or do not have the same kernels, or if a
  /// kernel makes joins, ("devices") if two ranks of a host have the same GPU, and at least one of them the
  /// whole of it; rank_lost if rank 0, which compares all ranks, is lost; and timed_out. The log warns if a
  /// process is bound to fewer cores than it has workers on cores and threads.
  cluster_queue(cluster& over, device_list devices, kernel_set const& kernels,
                cluster_queue_options options = {});
  /// If the queue was not closed, the other ranks count this one as lost.
  ~cluster_queue();
  cluster_queue(cluster_queue const&) = delete;
  cluster_queue& operator=(cluster_queue const&) = delete;

  /// Copies the batch and returns; never waits for a device or a rank. An empty batch is complete. Throws
  /// bad_argument before anything is queued: ("kernel") if a kernel is not in the set or does not declare
  /// how its members travel, ("argument") if an address is in no published array, ("count") for a range
  /// that is not legal; error if the queue is closed; and the queue's own failure.
  completion submit(std::span<task const> batch);
  /// Submits a batch of one task.
  completion submit(task const& one);

  /// Collective: lets tasks carry addresses in these bytes to other ranks. On another rank such an address
  /// stands for the same offset in the memory that the other rank publishes in the same call. All devices of
  /// a rank must be able to address the rank's memory, which must outlive the queue. Throws bad_argument
  /// ("first", "bytes"), also if the ranks' sizes differ, and then nothing is published; rank_lost if rank 0
  /// is lost; timed_out; error if the queue is closed; and the queue's own failure.
  void publish(void const* first, std::size_t bytes);

  /// Waits until all tasks that were submitted here have run, at most for the timeout. Throws timed_out with
  /// the state of all ranks that answer, stopped, rank_lost, and the queue's own failure.
  void wait_all(std::optional<deadline> until = {});
  /// Collective: waits until the tasks of all ranks have run, and ends the kernels. Accepts no more tasks.
  /// Throws as wait_all().
  void close(std::optional<deadline> until = {});
  /// Collective; the first rank that calls it stops all ranks: from then on no rank starts tasks that its
  /// devices do not hold yet. Waits for the tasks that the devices hold, and for all tasks that these create;
  /// ends the kernels; and returns the tasks that were submitted on this rank and did not run. The
  /// completions of returned tasks fail with stopped. After a failure, stop() neither waits for other ranks
  /// nor throws: it returns the tasks that neither this rank's devices nor other ranks held. Their
  /// completions, wait_all() and close() then throw the failure, in whatever order they are called. A second
  /// call returns no task again. Throws timed_out after devices.queue.timeout.
  std::vector<task> stop();

  /// The number of tasks submitted here that each rank has run, by rank.
  std::vector<std::uint64_t> tasks_by_rank() const;
  /// The state of this rank, as text.
  std::string describe();

 private:
  class BALLAST_HIDDEN state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast

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

/// How a cluster_queue may decide which tasks move between ranks: the share policies by name. "lifeline" is
/// the default.
BALLAST_API std::vector<named_policy> share_policies();

/// How a cluster_queue moves tasks between ranks, and deals them out on its own.
struct cluster_queue_options {
  std::string policy = "lifeline";  ///< a name of share_policies(); the same on all ranks
  std::uint64_t seed = 0;           ///< for ranks that are chosen at random
  /// Options of the rank's devices; queue.timeout is also how long the cluster_queue waits.
  balanced_options devices = {};
};

/// A queue over the ranks of a cluster, each with devices of its own. Tasks that are submitted on any rank
/// run exactly once, on any device of any rank: a rank that runs out of tasks asks others for some. The
/// kernels say what of them means something elsewhere (kernel_travel), and results come back through
/// result_ref or lie in published arrays. If a rank is lost the others go on; tasks that it had are executed
/// again if all kernels of their batch are `repeatable`, else their completion fails with rank_lost.
///
/// Tasks may create tasks. These move, too, to ranks and devices whose workers have none, if their kernel
/// says how it travels and has no result_ref. A task has run once all that came of it has: its completion,
/// close() and stop() wait for that, and a result_ref that it hands on to its children has what these have
/// made of it. If a kernel of the set creates tasks, a batch is executed again after a loss only if all
/// kernels of the set are `repeatable`.
///
/// Making it, publish(), close() and stop() are collective: every rank calls them, in the same order. Any
/// number of threads may submit and wait concurrently; one thread at a time may call the others.
class BALLAST_API cluster_queue {
 public:
  /// Starts the devices (at least one), and waits for all ranks, at most for devices.queue.timeout. `over`
  /// and `kernels` must outlive the queue. Throws as the constructor of balanced_queue, bad_argument
  /// ("policy", "kernels") if the ranks do not name the same policy or do not have the same kernels, or if a
  /// kernel makes joins, ("devices") if two ranks of a host have a GPU that is not a part for each of them;
  /// rank_lost if rank 0 is lost, with which all ranks agree; and timed_out. The log warns of a process that
  /// is bound to fewer cores than it has workers there and threads.
  cluster_queue(cluster& over, device_list devices, kernel_set const& kernels,
                cluster_queue_options options = {});
  /// If it was not closed, the other ranks take this one for lost.
  ~cluster_queue();
  cluster_queue(cluster_queue const&) = delete;
  cluster_queue& operator=(cluster_queue const&) = delete;

  /// Copies the batch and returns; never waits for a device or a rank. An empty batch is complete. Throws
  /// bad_argument before anything is queued: ("kernel") if a kernel is not in the set or does not say whether
  /// its members travel, ("argument") if an address is in no published array, ("count") for a range that is
  /// not legal; error if the queue is closed, and what it has failed with.
  completion submit(std::span<task const> batch);
  /// Submits a batch of one task.
  completion submit(task const& one);

  /// Collective: addresses in these bytes may travel from now on, and mean the same place in the memory that
  /// the other ranks publish in the same call, which all devices of a rank can address. The bytes stay until
  /// the queue has gone. Throws bad_argument ("first", "bytes"), also if another rank publishes another
  /// number of bytes, when none of them is published; rank_lost if rank 0 is lost; timed_out; error if the
  /// queue is closed, and what it has failed with.
  void publish(void const* first, std::size_t bytes);

  /// Waits until what was submitted here has run, at most for the timeout. Throws timed_out with the state of
  /// all ranks that answer, stopped, rank_lost, and what the queue has failed with.
  void wait_all(std::optional<deadline> until = {});
  /// Collective: waits until the tasks of all ranks have run, and ends the kernels. Accepts no more tasks.
  /// Throws as wait_all().
  void close(std::optional<deadline> until = {});
  /// Collective, but one rank suffices to stop all: no rank begins tasks that its devices do not have yet.
  /// Waits for those and what they create, ends the kernels, and returns the tasks that were submitted here
  /// and did not run. Their completions fail with stopped. After a failure it waits for no other rank and
  /// does not throw it: it returns the tasks that neither this rank's devices nor other ranks had, and their
  /// completions, wait_all() and close() say what the queue has failed with, in whatever order they are
  /// called. A second call returns no task again. Throws timed_out after devices.queue.timeout.
  std::vector<task> stop();

  /// How many of the tasks that were submitted here each rank has run, by rank.
  std::vector<std::uint64_t> tasks_by_rank() const;
  /// The state of this rank, as text.
  std::string describe();

 private:
  class BALLAST_HIDDEN state;
  std::unique_ptr<state> state_;
};

}  // namespace ballast

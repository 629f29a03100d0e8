// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "ballast/arguments.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {

/// A feeding thread's knowledge when it decides. All counts are since the start of the device's queue.
struct feed_view {
  /// The time of this view, in ns of the host's steady clock.
  std::int64_t now_ns = 0;
  std::uint64_t backlog = 0;         ///< tasks not given to any device yet
  std::uint64_t given = 0;           ///< tasks given to this device
  std::uint64_t taken = 0;           ///< those of `given` that its workers have begun
  std::uint64_t finished = 0;        ///< those of `given` that are known to be finished
  std::uint32_t workers = 1;         ///< blocks that execute tasks on this device
  std::uint32_t devices = 1;         ///< devices that share the backlog
  std::uint64_t idle_elsewhere = 0;  ///< idle workers of the other devices, as last observed
  std::int64_t feed_latency_ns = 0;  ///< estimated time from a decision until a worker sees the task
  /// The kernel of the first task of the oldest batch in the backlog, by its number in the set; meaningless
  /// if the backlog is empty.
  std::uint32_t kernel = 0;

  /// Workers of this device that have neither a task nor one waiting for them.
  std::uint64_t idle() const {
    auto const busy = given - finished;
    return workers - (busy < workers ? busy : workers);
  }
};

/// The next action of a feeding thread.
struct feed_decision {
  std::uint32_t tasks = 0;  ///< tasks to give now; at most the backlog
  /// Decide again once this many tasks are taken. While the backlog is not empty the thread also asks again
  /// after 2 ms, since other devices change the view.
  std::uint64_t wake_at_taken = 0;
};

/// Decides how many tasks of the common backlog a device gets, and when. One instance per device; one thread
/// at a time. It may keep state, but has no clock, no device and no randomness: the same sequence of views
/// gives the same decisions. A view holds the counts of the policy's own device and totals over the others,
/// but not which device that is.
class BALLAST_API feed_policy {
 public:
  virtual ~feed_policy() = default;
  /// Decides how many tasks to give to the device now. Does not wait.
  virtual feed_decision decide(feed_view const& view) = 0;
  /// True if every batch is divided into one part per device, which the device gets first. The parts should
  /// take equally long, judging by the last batch of the same kernel and size.
  virtual bool partitions_batches() const { return false; }
};

/// Makes the policy of this name. `fixed_batch` is used by "fixed" and must be at least 1. Throws
/// bad_argument ("policy"), which lists the names.
BALLAST_API std::unique_ptr<feed_policy> make_feed_policy(std::string_view name,
                                                          std::uint32_t fixed_batch = 20);

}  // namespace ballast::detail

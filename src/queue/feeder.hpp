// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backlog.hpp"
#include "ballast/detail/queue/feed_policy.hpp"
#include "graph_plan.hpp"

namespace ballast::detail {

/// The rounds of graphs that a device was given, beside the tasks of its feeding thread. They count as
/// finished in the order in which they were given. Any thread may call any member.
class given_graphs {
 public:
  struct sums {
    /// Workers of all rounds, each of which the device's queue counts as a task.
    std::uint64_t given = 0;
    std::uint64_t finished = 0;  ///< those of `given` whose rounds have ended
    double us = 0;               ///< planned lengths of the other rounds
  };

  /// Forgets all rounds, and takes only those of this run of the balanced_queue from now on.
  void begin(std::uint64_t run);
  void add(std::uint64_t run, completion const& round, std::uint32_t workers, double length_us);
  sums look();

 private:
  struct given_round {
    completion end;
    std::uint32_t workers;
    double length_us;
  };

  std::mutex mutex_;
  std::deque<given_round> unfinished_;
  sums sums_;
  std::uint64_t run_ = 0;
};

/// The thread that feeds one device from the backlog: observes, asks its policy, submits, and records
/// finished tasks.
class feeder {
 public:
  feeder(backlog& from, task_queue& to, std::size_t device, std::size_t devices,
         balanced_options const& options);

  void start(std::uint64_t run = 0);
  /// Makes the thread end, since no more tasks will come: when the backlog is empty and all tasks that the
  /// thread gave have finished, or at once after abandon().
  void finish();
  void abandon();
  void join();
  /// Records finished tasks. For the thread that stopped the device, after join().
  void collect_finished();
  given_graphs& graphs() { return graphs_; }
  /// What the device has to do, but for placed_us. Any thread.
  given_work load();

 private:
  struct outstanding {
    backlog_piece piece;
    completion given;
  };

  void run();
  std::exception_ptr failure_of_all();
  void await_outstanding();
  bool feed(std::uint64_t epoch);
  bool give_urgent(std::uint64_t piece);
  void collect_created();
  void collect_times_before_reuse(bool is_urgent);
  feed_view observe();
  std::uint32_t workers() const;
  void submit(backlog_piece const& piece);
  void sleep_until_change(std::uint64_t epoch, std::uint64_t wake_at_taken);

  backlog* from_;
  task_queue* to_;
  std::size_t device_, devices_;
  balanced_options const* options_;
  std::unique_ptr<feed_policy> policy_;
  std::vector<outstanding> outstanding_;
  std::atomic<std::uint64_t> given_ = 0, finished_ = 0;
  std::uint64_t urgent_here_ = 0;  ///< urgent tasks that were given and have not been collected
  /// The last batch given in the ring of this thread, and in that of urgent tasks; it may be recorded before
  /// older ones.
  std::array<std::uint64_t, 2> last_batch_ = {};
  given_graphs graphs_;
  std::atomic<bool> finishing_ = false, abandoned_ = false;
  std::thread thread_;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "backlog.hpp"
#include "ballast/detail/queue/feed_policy.hpp"

namespace ballast::detail {

/// The thread that feeds one device from the backlog: observes, asks its policy, submits, and records
/// finished tasks.
class feeder {
 public:
  feeder(backlog& from, task_queue& to, std::size_t device, std::size_t devices,
         balanced_options const& options);

  void start();
  /// Makes the thread end, since no more tasks will come: when the backlog is empty and all tasks that the
  /// thread gave have finished, or at once after abandon().
  void finish();
  void abandon();
  void join();
  /// Records finished tasks. For the thread that stopped the device, after join().
  void collect_finished();

 private:
  struct outstanding {
    backlog_piece piece;
    completion given;
  };

  void run();
  std::exception_ptr failure_of_all();
  void await_outstanding();
  bool feed(std::uint64_t epoch);
  void collect_created();
  void collect_times_before_reuse();
  feed_view observe() const;
  std::uint32_t workers() const;
  void submit(backlog_piece const& piece);
  void sleep_until_change(std::uint64_t epoch, std::uint64_t wake_at_taken);

  backlog* from_;
  task_queue* to_;
  std::size_t device_, devices_;
  balanced_options const* options_;
  std::unique_ptr<feed_policy> policy_;
  std::vector<outstanding> outstanding_;
  std::uint64_t given_ = 0, finished_ = 0;
  std::uint64_t last_batch_ = 0;  ///< the last batch given, which may be recorded before older ones
  std::atomic<bool> finishing_ = false, abandoned_ = false;
  std::thread thread_;
};

}  // namespace ballast::detail

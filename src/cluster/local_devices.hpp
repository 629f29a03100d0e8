// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "task_range.hpp"

namespace ballast::detail {

/// The rate at which tasks are executed, measured while all workers had some. Pure.
class execution_rate {
 public:
  /// Measures the rate; called often. `executed` is the number of tasks since the last call, `is_busy` means
  /// that every worker has a task.
  void look(std::int64_t now_ns, std::uint64_t executed, bool is_busy);
  /// 0 until it is known.
  double tasks_per_ns() const { return rate_; }

 private:
  std::int64_t since_ns_ = 0;
  std::uint64_t executed_ = 0;
  bool was_busy_ = false;
  double rate_ = 0;
};

/// The number of tasks to keep waiting for the workers, so that each worker finds its next task at once.
/// Doubled after no task was left although the rank had more, and lowered while more than half of that number
/// always wait. Kept small, since a task that waits for one rank's workers cannot go to another rank. At most
/// one per worker once the rank has no more, since the next tasks may be longer. Pure.
class feed_ahead {
 public:
  explicit feed_ahead(std::uint32_t workers)
      : workers_(std::max(1u, workers)), least_(std::max(1u, workers / 32)), ahead_(least_) {}

  /// Adapts the number; called often, before more tasks are given. `waiting` tasks are with the devices and
  /// have not begun; `has_more` means that the rank has more.
  void look(std::int64_t now_ns, std::uint64_t waiting, bool has_more);
  std::uint64_t tasks() const { return ahead_; }

 private:
  static constexpr std::uint64_t max_ahead = std::uint64_t(1) << 20;

  std::uint64_t workers_, least_, ahead_, least_waiting_ = ~std::uint64_t(0);
  std::int64_t since_ns_ = 0;
  bool was_full_ = false;
};

/// Executes a rank's tasks: its devices, and pinned memory for results of tasks from other ranks. Only the
/// constructor and close() wait for a device.
class local_devices {
 public:
  /// `max_result_bytes`: the limit for the results of one message's tasks; 0 if the kernels have no results.
  local_devices(device_list devices, kernel_set const& kernels, balanced_options const& options,
                std::size_t max_result_bytes);

  std::uint32_t workers() const { return workers_; }
  /// The rate of tasks from the queue; unknown if tasks create tasks, since one may be a whole tree.
  double tasks_per_ns() const { return creates_ ? 0 : rate_.tasks_per_ns(); }
  /// An upper bound of the number of the devices' tasks that have not ended.
  std::uint64_t running();
  /// True if tasks create enough tasks for nearly every worker.
  bool has_created();
  /// Fetches created tasks from devices with busy workers, for `workers_elsewhere` workers of other ranks and
  /// for idle workers of this rank's devices. The next calls of collect() return them.
  void fetch_created(std::uint64_t workers_elsewhere);
  /// Adapts the number of tasks that wait for the workers. Call it before wanted(). `has_more`: there are
  /// more tasks than the devices hold.
  void look(std::int64_t now_ns, bool has_more) { ahead_.look(now_ns, waiting(), has_more); }
  /// The number of further tasks that the devices should get now.
  std::uint32_t wanted();
  /// True if a range can be executed: there is memory for the results of its tasks.
  bool has_room_for(task_range const& range) const;
  void execute(task_range range);
  /// Tasks that a range created and that left their device.
  struct created_tasks {
    task_range creator;
    std::vector<task_record> records;
  };
  /// Tasks that were created or executed since the last call of collect().
  struct collected {
    std::vector<created_tasks> created;  ///< also by ranges that a later call returns as executed
    std::vector<task_range> executed;
  };
  /// Returns the tasks that were created or executed since the last call. Throws the error that ended a
  /// device.
  collected collect(std::int64_t now_ns);
  /// True if no device works on any of the tasks.
  bool is_idle() const;
  /// From now on the completion of tasks notifies `bell`, which must outlive this.
  void notify(event_count& bell);

  void close(deadline until) { queue_.close(until); }
  /// Ends the kernels of devices that still work, after one was lost.
  void stop() { queue_.stop(); }
  std::string describe() { return queue_.describe(); }

 private:
  struct given {
    task_range range;
    completion end;
  };

  /// The free parts of the result memory. Has a mutex, since the last owner of a part may be a thread of the
  /// queue.
  struct part_list {
    std::mutex mutex;
    std::vector<std::byte*> parts;
  };

  /// The number of created tasks to fetch for each worker without a task: most created tasks are small.
  static constexpr std::uint32_t created_for_a_worker = 8;

  std::uint64_t waiting();
  std::uint32_t workers_of(std::size_t device);
  bool has_created(std::size_t device);
  std::vector<created_tasks> take_created();
  void place_results(range_load& load);

  std::vector<pinned_buffer<std::byte>> result_parts_;  ///< allocated before the devices start
  std::shared_ptr<part_list> free_parts_;
  balanced_queue queue_;
  kernel_set const* kernels_;
  bool creates_;
  std::uint32_t workers_ = 0;
  std::vector<given> given_;
  std::uint64_t running_ = 0;  ///< tasks of ranges that have not ended
  std::uint64_t submitted_ = 0;
  execution_rate rate_;
  feed_ahead ahead_{1};
  std::shared_ptr<end_listener> listener_;  ///< not registered with the queue yet
};

}  // namespace ballast::detail

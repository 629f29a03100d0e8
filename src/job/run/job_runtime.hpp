// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arrays/array_state.hpp"
#include "arrays/operations.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "plan/job_intake.hpp"
#include "plan/job_planner.hpp"
#include "plan/job_record.hpp"
#include "plan/planned_work.hpp"
#include "ranks/job_ranks.hpp"
#include "run/device_executor.hpp"
#include "run/operation_dispatcher.hpp"

namespace ballast::detail {

/// The default of the most device memory that a scheduler takes. On a GPU it is 0.9 of the free memory, of
/// which each part gets an equal share if memory is taken in the order of the list. For all CPU cores of the
/// list together it is a quarter of the memory that the process can get, but not much more than `array_bytes`
/// if that is not 0.
std::size_t default_device_bytes(device_list const& devices, std::uint32_t device,
                                 std::uint64_t array_bytes = 0);

/// The state that a scheduler, its arrays and its jobs' completions share, under one mutex: job_planner
/// decides, host_access waits for its turn, and operation_dispatcher passes planned work to the executors and
/// handles the ends that they report. Nothing waits for a device with the mutex held.
class job_runtime final : public described_work, public std::enable_shared_from_this<job_runtime> {
 public:
  job_runtime(device_list const& devices, job_options options);
  ~job_runtime();

  // The constants, for any thread.
  device_list const& devices() const { return devices_; }
  std::shared_ptr<compute_device> const& pinning_device() const;
  job_options const& options() const { return options_; }
  copy_links const& links() const { return links_; }
  process_of_origin const& process() const { return process_; }
  /// The place of a device; the host's for null. Throws bad_argument ("device") for any device that is not
  /// the scheduler's.
  place_id place_of(compute_device const* device) const;

  // Any thread. In a child of fork() these members throw error.
  void add(kernel_set const& more);
  /// Throws bad_argument ("memory") if `adopted` overlaps another array.
  std::shared_ptr<array_state> make_array(extents const& shape, std::size_t element_bytes, std::string name,
                                          std::optional<adopted_copy> adopted);
  completion submit(job_request request);
  /// Throws the errors of submit() that depend only on the job, and returns its kernel's code, which lives as
  /// long as this object; null for a plain one.
  kernel_code const* checked_code(job_request const& request);
  /// The elements of this rank; all elements if it is the only one.
  index_range own_elements_of(array_state const& array) const;
  /// As array_handle::open().
  index_range open(std::shared_ptr<array_state> const& array, access_request what, deadline until);
  /// From now on no job may use the array; or, with false, jobs may again.
  void set_released(array_state& array, bool is_released);
  /// True if no device works for this object any more. Waits only for a scheduler that is being destroyed.
  bool is_at_rest_within(deadline until);
  void wait_all(deadline until);
  /// Async-signal-safe.
  void request_stop() noexcept { stop_requested_.store(true); }
  /// As job_scheduler::stop().
  std::vector<completion> stop_jobs(deadline until);
  /// Logs that a destructor is about to wait for jobs, if there are any.
  void log_wait_for_jobs(std::string const& why, clock::duration at_most) const;
  job_statistics statistics() const;
  /// As operation_dispatcher::watch(), which is called with the mutex held.
  void watch(operation_watcher* by);
  /// The unfinished work, as text for messages.
  std::string state() const override;
  /// Throws error if an executor cannot start its thread; then none has started.
  void start();
  /// Waits for the jobs; those that have not ended by then fail. Does not wait for other ranks if an
  /// exception is being thrown. After it, call only open() and statistics().
  void stop(deadline until);

  /// Called while an array's state is being destroyed. Any thread, with or without the mutex.
  void release_array(array_id array) noexcept;

 private:
  /// The parts of retired_ that are destroyed after the mutex is released, besides `any`.
  enum class departing {
    jobs,         ///< ended jobs, without their arrays
    with_arrays,  ///< arrays; jobs too if they are many, otherwise submitters free them
    all
  };

  /// Holds the mutex. Destroys retired objects after releasing it: freeing pinned memory waits for devices,
  /// and factories are the user's.
  class guard {
   public:
    explicit guard(job_runtime& runtime, departing what = departing::jobs)
        : runtime_(runtime), hold_(runtime.mutex_), what_(what) {}
    guard(job_runtime& runtime, device_executor::if_busy then, departing what)
        : runtime_(runtime), hold_(runtime.mutex_, std::defer_lock), what_(what) {
      then == device_executor::if_busy::wait ? hold_.lock() : void(hold_.try_lock());
    }
    ~guard() { unlock(); }
    bool holds() const { return hold_.owns_lock(); }
    void lock() { hold_.lock(); }
    void unlock();

   private:
    retired_objects departed();

    job_runtime& runtime_;
    std::unique_lock<std::mutex> hold_;
    departing const what_;
  };

  /// Throws in a child of fork(), before locking a mutex that may have been held then.
  void check_process() const { process_.check("a job scheduler or an array of it"); }

  void check_arrays(job_request const& request) const;

  /// Once true, it stays true; any thread, without the mutex.
  bool is_stop_requested() const {
    if (stop_requested_.load()) return true;
    if (!options_.stop_requested || !options_.stop_requested()) return false;
    stop_requested_.store(true);
    return true;
  }

  // Changes, under the mutex.
  void notice_stop();
  void forget_released_arrays();
  void advance_and_notify();
  bool handle_ends(std::uint32_t device, std::vector<ended_operation> const& ends,
                   device_executor::if_busy then);
  /// Destroys the retired objects. Called by an executor that has nothing to do.
  bool free_retired();
  bool wait_until(guard& hold, deadline until, auto is_over, std::function<bool()> const& may_be_over);
  void wait_for_access(guard& hold, std::shared_ptr<array_state> const& array, access_request const& what,
                       deadline until, bool is_for_all);

  // For several ranks; called with the mutex held, except abandon().
  job_ranks::listeners rank_listeners();
  void check_not_abandoned() const;
  void learn_shares(job_request const& request);
  void abandon(std::exception_ptr const& why);
  void stop_ranks(deadline until);

  // State for messages, and the end.
  std::string state_under_mutex() const;
  std::string oldest_operation() const;
  void release_jobs();
  void complete_all_jobs();
  void leak_self();
  void forget_jobs();

  device_list const devices_;
  job_options const options_;
  mutable std::atomic<bool> stop_requested_ = false;
  copy_links const links_;
  event_count changed_;  ///< notified after changes that a thread may wait for

  mutable std::mutex mutex_;
  operations ops_;
  retired_objects retired_;
  std::atomic<bool> has_retired_ = false;  ///< whether something was left there when the mutex was last
                                           ///< released
  std::vector<device_buffer<std::byte>> memory_;  ///< for arrays, one for each device
  job_intake intake_;                             ///< has a mutex of its own
  operation_dispatcher dispatcher_;
  job_planner planner_;
  array_id newest_array_;
  std::vector<std::function<bool()> const*> waiting_;  ///< for each waiting thread: whether its condition may
                                                       ///< hold
  std::optional<bool> at_rest_;  ///< set by stop(): whether no device works for this object any more

  std::mutex released_mutex_;  ///< taken last
  std::vector<array_id> released_arrays_;

  std::vector<std::unique_ptr<device_executor>> executors_;
  std::exception_ptr abandoned_;      ///< why the ranks cannot continue
  std::unique_ptr<job_ranks> ranks_;  ///< null if there is only one rank
  int const exceptions_ = std::uncaught_exceptions();
  process_of_origin const process_;
};

}  // namespace ballast::detail

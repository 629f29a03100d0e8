// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array_state.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/stream.hpp"
#include "byte_runs.hpp"
#include "device_executor.hpp"
#include "device_residency.hpp"
#include "job_order.hpp"
#include "job_record.hpp"
#include "operations.hpp"
#include "task_planner.hpp"
#include "working_set.hpp"

namespace ballast::detail {

/// The properties of an argument that decide which elements units touch, whatever array it is.
struct described_argument {
  std::array<std::size_t, 3> sides;
  std::string map;
  access_mode mode;

  auto operator<=>(described_argument const&) const = default;
};

/// What one kernel of a task computes.
struct task_piece {
  job_part part;
  std::vector<array_use> uses;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< once it has ended
};

/// A task that was planned and has not ended.
struct planned_task {
  std::shared_ptr<job_record> job;
  std::uint32_t device_index;  ///< which of the job's devices
  job_part part;
  std::vector<array_use> uses;
  std::vector<task_piece> pieces{};         ///< in the order of their kernels
  std::vector<resident_bytes> residents{};  ///< of each array, pinned
  std::vector<std::size_t> first_bytes{};   ///< of each array: the first byte of its hull
  moved_bytes moved{};
  std::uint64_t own_bytes = 0;  ///< moved for this part alone
  std::size_t pieces_ended = 0;
  bool has_failed = false;

  resident_bytes const& resident_of(std::size_t argument) const;
  /// When the last piece ended; once all have.
  std::int64_t end_ns() const;
  /// The time in which at least one piece ran: those at the ends wait for neighbours, the rest does not.
  std::int64_t busy_ns() const;
};

/// A kernel that has not ended: one piece of a task.
struct kernel_in_flight {
  std::shared_ptr<planned_task> task;
  std::size_t piece;
};

/// An end that an executor has reported.
struct reported_end {
  std::uint32_t executor;
  ended_operation end;
};

/// When a kernel of a job ran on a device.
struct busy_time {
  job_number job;
  std::int64_t begin_ns, end_ns;
};

/// What the runtime does on one device.
struct device_in_use {
  std::uint32_t tasks = 0;  ///< that were planned
  std::uint32_t kernels = 0;
  bool is_lost = false;
  bool lacks_memory = false;        ///< a job waits for some, so newer ones take none; in one advance()
  std::vector<busy_time> latest{};  ///< kernels that ended last
};

/// A kernel of a list that the scheduler was given.
struct listed_code {
  kernel_code code;
  std::vector<std::uint64_t> blocks_at_once;  ///< on each device
};

/// A copy that has not ended.
struct copy_in_flight {
  std::shared_ptr<array_state> array;
  planned_copy what;
  job_number job;
};

/// Where bytes of an array lie at a place.
struct placed_bytes {
  std::byte* memory = nullptr;         ///< that the offsets count from
  std::vector<located_bytes> located;  ///< ascending
};

/// The host's access to elements that it waits for.
struct host_access {
  std::shared_ptr<array_state> array;
  host_use use;
  byte_runs bytes;
  job_number turn;
};

/// What a scheduler, its arrays and the completions of its jobs share. One mutex guards all that decides;
/// nothing under it waits for a device. Executors carry out what was decided and tell the ends.
///
/// Three files hold its code, one for each responsibility: runtime_planning.cpp decides what jobs and
/// accesses of the host may do next, runtime_operations.cpp hands what was planned to the executors and takes
/// the ends that they report, and job_runtime.cpp has the rest, from submission to stop().
class job_runtime : public std::enable_shared_from_this<job_runtime> {
 public:
  job_runtime(device_list const& devices, job_options options);
  ~job_runtime();

  // The constants, for any thread.
  device_list const& devices() const { return devices_; }
  std::uint32_t places() const { return std::uint32_t(devices_.size() + 1); }
  std::shared_ptr<compute_device> const& pinning_device() const;
  job_options const& options() const { return options_; }

  // Any thread.
  void add(kernel_set const& more);
  /// Throws bad_argument ("memory") if `adopted` is partly another array's.
  std::shared_ptr<array_state> make_array(extents const& shape, std::size_t element_bytes, std::string name,
                                          std::optional<std::byte*> adopted);
  completion submit(job_request request);
  /// As array_handle::open(). Returns the elements, which are all of the array for every_element.
  index_range open(std::shared_ptr<array_state> const& array, host_use use, index_range elements,
                   deadline until);
  /// The host's copy gets the newest values; after that nothing uses it. Throws as open(), and then nothing
  /// has changed.
  void release_memory(std::shared_ptr<array_state> const& array, deadline until);
  /// The same for destructors: what failed is logged; std::terminate() if a device may still use the memory.
  void give_back_memory(std::shared_ptr<array_state> const& array) noexcept;
  void wait_all(deadline until);
  job_statistics statistics() const;
  std::vector<journal_entry> journal() const;
  /// What has not ended, as text for messages.
  std::string state() const;
  /// Throws error if an executor has no thread; then none has.
  void start();
  /// Waits for the jobs; what has not ended by then fails. No call but open() and statistics() after it.
  void stop(deadline until);

  /// For the directories of arrays, under the mutex.
  operations& array_operations() { return ops_; }
  /// An array's state is being destroyed. Any thread, with or without the mutex.
  void release_array(array_id array);

 private:
  friend class device_residency;

  using site = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, int, std::string>;

  /// The mutex, held. What departed meanwhile is destroyed when it is free again: freeing pinned memory waits
  /// for devices, and factories are the user's.
  class guard {
   public:
    explicit guard(job_runtime& runtime) : runtime_(runtime), hold_(runtime.mutex_) {}
    guard(job_runtime& runtime, device_executor::if_busy then)
        : runtime_(runtime), hold_(runtime.mutex_, std::defer_lock) {
      then == device_executor::if_busy::wait ? hold_.lock() : void(hold_.try_lock());
    }
    ~guard() { unlock(); }
    bool holds() const { return hold_.owns_lock(); }
    void lock() { hold_.lock(); }
    void unlock();

   private:
    job_runtime& runtime_;
    std::unique_lock<std::mutex> hold_;
  };

  /// Launches a kernel; `arrays` says where element 0 of each argument's array would be.
  using launch_on_arrays = std::function<void(std::vector<void*> const& arrays, stream& on)>;

  // Submission.
  void add(kernel_key key, kernel_code const& code);
  bool knows(kernel_key key);
  listed_code const* code_of(job_request const& request) const;
  void check(job_request const& request) const;
  std::string const& policy_of(job_request const& request) const;
  static std::size_t memory_of_part(job_record const& job, job_part part);
  void check_memory(job_record const& job);
  void check_write_overlap(job_record const& job);
  std::shared_ptr<job_record> make_job(job_request request);
  static void revoke_host_access(job_request const& request);
  static void check_not_released(job_request const& request);

  // Arrays.
  std::shared_ptr<array_state> find_array(array_id array);
  void check_shares_no_memory(array_state const& adopting);
  void set_released(array_state& array, bool is_released);
  bool is_unused_within(std::shared_ptr<array_state> const& array, deadline until);
  bool is_at_rest_within(deadline until);
  void forget_released_arrays();
  void lose_device(std::uint32_t device);

  // Planning.
  /// Plans all that may be; to be called whenever something has changed.
  void advance();
  void plan_jobs();
  /// Takes jobs that have ended off the list. Whether one of them failed.
  bool retire_ended();
  auto end_of_begun() -> std::deque<std::shared_ptr<job_record>>::iterator;
  void note_end_before_begin(job_record const& job);
  void plan_of(std::shared_ptr<job_record> const& job);
  bool plan_round(std::shared_ptr<job_record> const& job);
  std::optional<planned_task> next_task(std::shared_ptr<job_record> const& job, std::uint32_t device_index);
  std::optional<planned_task> admit(std::shared_ptr<job_record> const& job, std::uint32_t device_index,
                                    job_part part);
  std::vector<task_piece> pieces_of(planned_task const& task) const;
  void plan_task(planned_task task);
  void fetch_reads(planned_task& task);
  op_id plan_kernel(planned_task const& task, task_piece const& piece, op_stream on);
  void check_not_lost(planned_task const& task) const;
  bool pin(planned_task& task);
  std::vector<void*> arrays_of(planned_task const& task) const;

  // Jobs: their beginning and their failure.
  bool has_room(std::uint32_t device, std::uint32_t own_tasks) const;
  bool are_all_lost() const;
  bool begin(job_record& job);
  void start_split(job_record& job);
  void choose_devices(job_record& job);
  std::uint32_t max_units_on(job_record const& job, std::uint32_t device) const;
  static site site_of(job_record const& job);
  job_shape shape_of(job_record const& job) const;
  void fail(job_record& job, job_part part, std::string const& device, std::exception_ptr const& why);
  bool drop_rest(job_record const& job);
  static void lose(job_record const& job, std::vector<job_part> const& unplanned);
  void fail_if_stuck(job_record& job);

  // Accesses of the host.
  job_number take_turn(array_state const& array, host_use use, index_range elements);
  void end_turn(host_access const& access);
  void wait_for_access(host_access& access, guard& hold, deadline until);
  bool try_open(host_access& access);
  void fetch_to_host(host_access const& access);
  void grant_access(host_access const& access, index_range range);

  // Operations: what was planned goes to the executors.
  op_stream stream_of_copy(place_id from, place_id to) const;
  op_stream compute_stream_of(planned_task const& task);
  static op_stream other_compute_stream(op_stream of);
  op_id last_writer(planned_task const& task) const;
  moved_bytes fetch_to(std::shared_ptr<array_state> const& array, byte_runs const& bytes, place_id to,
                       std::span<op_id const> after, job_number job);
  void broadcast_shared_reads(std::vector<planned_task>& tasks);
  void broadcast(std::size_t argument, std::vector<planned_task>& tasks);
  void move_on_device(std::shared_ptr<array_state> const& array, std::uint32_t device, byte_range bytes,
                      std::size_t from, std::size_t to, std::span<op_id const> after);
  placed_bytes placed(array_state const& array, place_id place, byte_range bytes) const;
  void submit_copy(std::shared_ptr<array_state> const& array, planned_copy const& copy, job_number job);
  void submit_kernel(op_id op, planned_task const& task, task_piece const& piece);
  void submit_checked_kernel(op_id op, planned_task const& task, task_piece const& piece,
                             launch_on_arrays launch);
  void submit_operation(op_id op, job_number job, std::function<void(stream&)> enqueue,
                        std::function<void()> conclude = {});
  progress_list progress_of(std::vector<op_id> const& ops) const;

  // Ends that executors report.
  bool handle_ends(std::uint32_t executor, std::vector<ended_operation> const& ends,
                   device_executor::if_busy then);
  void handle_reported_ends();
  void handle_end(std::uint32_t executor, ended_operation const& end);
  void handle_copy_end(op_id op, copy_in_flight const& copy, bool failed);
  void release_task(std::uint32_t executor, planned_task const& task);
  void handle_kernel_end(std::uint32_t executor, kernel_in_flight const& kernel, ended_operation const& end,
                         bool failed);
  void handle_task_end(std::uint32_t executor, planned_task const& task, ended_operation const& last);
  void record_span(job_record const& job, std::uint32_t device, ended_operation const& end) const;
  void handle_piece_failure(planned_task& task, task_piece const& piece, ended_operation const& end);
  bool was_alone(std::uint32_t device, job_number job, ended_operation const& end);

  // State for messages, and the end.
  std::string state_under_mutex() const;
  std::string oldest_operation() const;
  void release_jobs();
  void complete_all_jobs();
  void leak_self();
  void forget_jobs();

  device_list const devices_;
  job_options const options_;
  event_count changed_;  ///< rung after each change that a host access or wait_all() may wait for

  mutable std::mutex mutex_;
  operations ops_;
  copy_sources sources_;
  task_planner planner_;
  job_order order_;
  std::map<kernel_key, listed_code> kernels_;
  std::map<site, std::unique_ptr<split_policy>> policies_;
  /// Of sites and arguments: no unit writes what another one touches.
  std::set<std::tuple<std::uint64_t, site, std::vector<described_argument>>> tried_maps_;
  std::deque<std::shared_ptr<job_record>> jobs_;  ///< that have not ended, ascending
  job_number newest_ended_unbegun_{0};            ///< of those that ended, or will, without having begun
  job_number newest_job_;
  array_id newest_array_;
  std::vector<device_in_use> on_devices_;
  std::vector<std::unique_ptr<device_residency>> residencies_;  ///< of each device
  std::map<array_id, std::weak_ptr<array_state>> arrays_;
  std::unordered_map<std::uint64_t, kernel_in_flight> kernels_in_flight_;            ///< by operation
  std::unordered_map<std::uint64_t, copy_in_flight> copies_;                         ///< by operation
  std::unordered_map<std::uint64_t, std::shared_ptr<operation_progress>> progress_;  ///< by operation
  std::map<op_id, reported_end> reported_ends_;       ///< that do not count yet
  std::vector<std::shared_ptr<void const>> retired_;  ///< what nothing here needs any more
  operation_journal journal_;
  job_statistics statistics_;
  bool stopped_ = false;
  std::optional<bool> at_rest_;  ///< once stop() has ended: whether no device works for this any more

  std::mutex released_mutex_;  ///< taken last
  std::vector<array_id> released_arrays_;

  std::vector<std::unique_ptr<device_executor>> executors_;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/operations.hpp"
#include "arrays/task_planner.hpp"
#include "ballast/job_scheduler.hpp"
#include "plan/array_placement.hpp"
#include "plan/job_order.hpp"
#include "plan/job_record.hpp"
#include "plan/planned_work.hpp"
#include "split/task_join.hpp"

namespace ballast::detail {

/// When a kernel of a job ran on a device.
struct busy_time {
  job_number job;
  std::int64_t begin_ns, end_ns;

  bool operator==(busy_time const&) const = default;
};

/// The jobs' state on one device.
struct device_in_use {
  std::uint32_t tasks = 0;  ///< that were planned
  std::uint32_t kernels = 0;
  bool is_lost = false;
  bool lacks_memory = false;        ///< a job waits for memory, so newer ones take none; valid within one
                                    ///< advance()
  std::vector<busy_time> latest{};  ///< kernels that ended last
  newest_kernels newest{};
};

/// The state that the jobs of a site share.
struct site_memory {
  std::unique_ptr<split_policy> policy;
  std::vector<joinable_length> joinable{};  ///< on each device
};

/// Decides which device computes which part of which job, and when. It receives jobs and the ends of planned
/// work, and passes copies and kernels to a sink. No device, no clock, no mutex; one thread at a time.
class job_planner {
 public:
  /// All but the devices and the links outlive this object. `options` were checked.
  job_planner(operations& ops, std::vector<planned_device> devices, copy_links links,
              job_options const& options, work_sink& sink, retired_objects& retired);
  job_planner& operator=(job_planner&&) = delete;

  array_placement& arrays() { return arrays_; }

  // Jobs and host accesses take turns in one order.
  job_number newest_turn() const { return newest_turn_; }
  job_number next_turn() const { return job_number(newest_turn_.value() + 1); }
  /// Adds a job whose number is next_turn().
  void add(std::shared_ptr<job_record> const& job);
  /// True if a job that has just been added may begin. Otherwise the end of a task lets it begin, and
  /// advance() is not needed.
  bool may_begin() const;
  /// Gives a host access its turn in the order of jobs.
  job_number take_turn(array_use const& use);
  /// True if the host access of that turn may begin: nothing earlier that conflicts with it is unplanned.
  bool has_come(job_number turn, array_use const& use) { return !order_.blocking_job(turn, {&use, 1}); }
  void end_turn(job_number turn) { order_.drop(turn); }
  /// Records that the host writes bytes that nothing else touches any more.
  void record_host_write(array_state& array, byte_range bytes, place_id at);

  /// Plans all work that may be planned; call it whenever something has changed.
  void advance() {
    advance([this] { plan_jobs(); });
  }
  /// The same with plan_all(), which calls plan(), in place of the planner's own order of jobs.
  void advance(auto const& plan_all);
  /// Plans what may be planned of an unfinished job.
  void plan(std::shared_ptr<job_record> const& job);
  /// Handles the end on `device` of a kernel or copy that the sink accepted; `failed` is also set if only the
  /// source of its data has failed.
  void handle_end(planned_work const& work, std::uint32_t device, ended_operation const& end, bool failed);

  /// Fails all unfinished jobs and plans no more.
  void stop();
  /// Fails the jobs that are not completely planned. Planned tasks end, successfully or by failure_by_stop().
  void stop_jobs();
  bool has_stopped_jobs() const { return stopped_jobs_ != 0; }
  /// Returns the stopped jobs that were not returned before, in their order.
  std::vector<completion> take_stopped();
  /// Fails all unfinished jobs. Planned tasks end.
  void abandon(std::exception_ptr const& why);
  /// The failure of the first job that failed, if any.
  std::optional<std::string> const& first_failure() const { return first_failure_; }
  bool is_stopped() const { return stopped_; }
  /// Completes the remaining jobs.
  void complete_all_jobs();
  void forget_jobs();

  /// The unfinished jobs, ascending.
  std::deque<std::shared_ptr<job_record>> const& jobs() const { return jobs_; }
  bool is_lost(std::uint32_t device) const { return on_devices_[device].is_lost; }
  /// A line of operations that no device executes.
  op_stream host_stream(std::uint32_t number) const { return {std::uint32_t(devices_.size()), number}; }
  std::string const& device_name(std::uint32_t device) const { return devices_[device].name; }
  job_statistics statistics() const;
  /// The oldest unfinished jobs as text for messages, a line each.
  std::string state_of_jobs(std::int64_t now_ns) const;

 private:
  void plan_jobs();
  bool retire_ended();
  void retire(std::shared_ptr<job_record> const& job);
  auto end_of_begun() -> std::deque<std::shared_ptr<job_record>>::iterator;
  void note_end_before_begin(job_record const& job);
  std::int64_t copies_ns(planned_task const& task) const;

  bool has_room(device_in_use const& on, std::uint32_t own_tasks) const;
  bool are_all_lost() const;
  bool has_room_on_named(job_record const& job) const;
  bool begin(job_record& job);
  void start_split(job_record& job);
  void choose_devices(job_record& job);
  bool may_share(job_record const& job) const;
  job_shape shape_of(job_record const& job) const;

  bool plan_round(std::shared_ptr<job_record> const& job);
  std::shared_ptr<planned_task> next_task(std::shared_ptr<job_record> const& job, std::uint32_t device_index);
  std::shared_ptr<planned_task> admit(std::shared_ptr<job_record> const& job, std::uint32_t device_index,
                                      job_part part);
  void plan_task(std::shared_ptr<planned_task> const& task);
  std::uint64_t units_at_once(planned_task const& task) const;
  bool may_join_newest(planned_task const& task) const;
  void note_newest(planned_task const& task, op_id kernel, op_stream on, bool is_joined);
  op_stream compute_stream_of(planned_task const& task, bool may_join);

  void handle_kernel_end(kernel_work const& kernel, std::uint32_t device, ended_operation const& end,
                         bool failed);
  void handle_piece_failure(planned_task& task, task_piece const& piece, ended_operation const& end);
  void note_length(planned_task const& task, ended_operation const& end) const;
  void release_task(std::uint32_t device, planned_task const& task);
  void handle_task_end(std::uint32_t device, planned_task const& task, ended_operation const& last);
  void record_span(job_record const& job, std::uint32_t device, ended_operation const& end) const;
  bool was_alone(std::uint32_t device, job_number job, ended_operation const& end);
  void lose_device(std::uint32_t device);

  void fail(job_record& job, job_part part, std::string const& device, std::exception_ptr const& why);
  void fail_if_stuck(job_record& job);
  bool drop_rest(job_record const& job);

  operations& ops_;
  std::vector<planned_device> const devices_;
  job_options const& options_;
  work_sink& sink_;
  retired_objects& retired_;
  array_placement arrays_;
  job_order order_;
  std::map<job_site, site_memory> sites_;
  std::deque<std::shared_ptr<job_record>> jobs_;  ///< unfinished, ascending
  job_number newest_ended_unbegun_{0};            ///< the newest of the jobs that have ended, or will,
                                                  ///< without having begun
  job_number newest_turn_;
  std::vector<device_in_use> on_devices_;
  job_statistics statistics_;
  std::optional<std::string> first_failure_;
  std::uint64_t stopped_jobs_ = 0;  ///< the number of jobs at stop_jobs(), at least 1; 0 before
  std::vector<completion> ended_by_stop_;
  bool stopped_ = false;
};

/// Plans again while jobs fail: one that fails at once frees its slot without a completion event.
void job_planner::advance(auto const& plan_all) {
  if (stopped_) return;
  for (auto& device : on_devices_) device.lacks_memory = false;
  do plan_all();
  while (retire_ended());
}

}  // namespace ballast::detail

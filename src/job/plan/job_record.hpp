// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays/array_state.hpp"
#include "arrays/operations.hpp"
#include "arrays/working_set.hpp"
#include "ballast/access_map.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/detail/job/split_policy.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/stream.hpp"
#include "plan/job_failed.hpp"
#include "plan/job_order.hpp"
#include "split/task_join.hpp"

namespace ballast::detail {

/// The planner's knowledge of a device.
struct planned_device {
  std::string name;
  device_capabilities capabilities = {};
  std::size_t bytes = 0;  ///< bytes of its memory for arrays
};

inline place_id place_of(std::uint32_t device) { return place_id(1 + device); }

/// A kernel of a set that was added to the scheduler.
struct listed_code {
  kernel_code code;
  std::vector<std::uint64_t> blocks_at_once;  ///< on each device
};

/// Jobs of one site share what a policy has learned. A site consists of the factory's number, or the
/// learning_key that the job gives instead; the grid's blocks; the dimension that is cut; the policy; and the
/// device that the job names.
using job_site = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, int, std::string,
                            std::optional<std::uint32_t>>;

job_site site_of(job_request const& request, std::string const& policy);

/// The uses of each array by a part of a job, in the order of the arguments.
using array_uses = std::shared_ptr<std::vector<array_use> const>;

/// The uses of a part of the requested job. Throws the exception of a map.
array_uses uses_of(job_request const& request, job_part part);

/// One device's uses of the arrays of a job that several devices share.
struct job_share {
  std::uint32_t device = 0;
  std::vector<array_use> uses{};          ///< its uses of each argument; `written` also includes its copies
                                          ///< of bytes that other devices write
  std::vector<byte_runs> written_last{};  ///< for each argument: the bytes that are valid only here in the
                                          ///< end
};

/// How devices share a job of one unit.
struct job_shares {
  std::vector<job_share> of{};      ///< at least two; the launch is in the first device's stream
  std::uint64_t bytes_between = 0;  ///< bytes that the job copies between the devices
  /// Throws if one of the devices is lost, as the launch's stream need not report it.
  std::function<void()> check = {};
  /// Waits for the other devices if the launch's stream is lost or has failed.
  std::function<void()> settle = {};
};

/// The parts of a job of one unit. Each begins once the one before has ended; later jobs wait for the last.
/// Called under the scheduler's mutex.
class job_parts {
 public:
  virtual ~job_parts() = default;
  /// Makes `job` launch the next part, with the shares of devices if they are to share it. Throws what makes
  /// the job fail.
  virtual void begin(job_request& job) = 0;
  /// The part that began last has ended well, in `ns` nanoseconds; `is_shared`: the devices shared it.
  virtual void end(std::int64_t ns, bool is_shared) = 0;
  /// True once the last part has begun.
  virtual bool is_last() const = 0;
};

/// The job's name in messages.
std::string display_name_of(std::string const& name, job_number number);

/// Describes the unfinished work of a scheduler, for messages.
class described_work {
 public:
  virtual std::string state() const = 0;

 protected:
  ~described_work() = default;
};

/// The end of a job, which completions can read even after the scheduler is destroyed.
class job_end final : public completion_source {
 public:
  /// `report` has the job's name.
  job_end(std::weak_ptr<described_work const> all, job_report report, job_number number,
          clock::duration timeout)
      : all_(std::move(all)), number_(number), timeout_(timeout), report_(std::move(report)) {}

  void renumber(job_number to) { number_ = to; }
  /// Wakes waiting threads; called once. `failure` is empty if the job succeeded.
  void complete(std::optional<job_failure> failure);

  bool has_ended(completion_key const&) override { return complete_.load(std::memory_order_acquire); }
  /// Waits for the job's end. Throws job_failed or stopped, a separate exception for each caller, and
  /// timed_out.
  void wait(completion_key const& job, deadline until) override;
  clock::duration timeout(completion_key const&) const override { return timeout_; }
  bool notify_at_end(completion_key const& job, std::shared_ptr<end_listener> const& listener) override;
  /// The report. Until complete() it is the runtime's, under the runtime's mutex.
  job_report& report() { return report_; }

 private:
  [[noreturn]] void throw_timed_out() const;

  std::weak_ptr<described_work const> const all_;  ///< of the scheduler
  job_number number_;
  clock::duration const timeout_;
  event_count wake_event_;
  // Written before complete_, except for the report's name, which is constant.
  job_report report_;
  std::optional<job_failure> failure_;
  std::atomic<bool> complete_ = false;
};

struct planned_task;

/// An unfinished job. Except for the constants, it belongs to the runtime, under the runtime's mutex.
class job_record {
 public:
  /// `whole`: the result of uses_of() for all units.
  job_record(job_number number, job_request request, array_uses whole, listed_code const* listed,
             std::string policy, std::uint32_t tasks, std::weak_ptr<described_work const> all,
             clock::duration timeout);

  job_grid const& grid() const { return request.setup.grid; }
  /// The units of the whole job, on all ranks.
  std::uint32_t units() const { return grid().units(); }
  kernel_code const* code() const { return listed == nullptr ? nullptr : &listed->code; }
  job_site site() const { return site_of(request, policy); }
  /// Its name in messages: "'step' (number 17)".
  std::string display_name() const;
  /// Changes the job's number. Call it before giving out the job's completion.
  void renumber(job_number to);

  /// The uses of a part; for the whole job it returns the first results of the maps, which are pure. Throws
  /// the exception of a map.
  array_uses uses(job_part part) const;
  /// The uses of a part as conservative_uses() returns them, but fails the job if a map throws.
  array_uses uses_or_failure(job_part part);
  /// The uses of a part; those of the whole job if a map throws.
  array_uses conservative_uses(job_part part) const;
  /// Computes is_shared_by_units() and bytes_per_unit(); called once, for a job with units. Throws the
  /// exception of a map.
  void measure_arguments();
  /// True if every unit reads or writes all bytes of an argument that the job uses.
  bool is_shared_by_units(std::size_t argument) const { return shared_by_units_[argument]; }
  /// True if two units read something in common that not all units read. Throws the exception of a map.
  bool read_in_common(std::uint32_t unit, std::uint32_t other) const;
  /// The bytes of one unit that other units do not share.
  std::uint64_t bytes_per_unit() const { return bytes_per_unit_; }

  /// The memory for a part's arrays on a device.
  std::size_t memory_of(job_part part) const;
  /// Marks the data that these unplanned parts should have written as lost, so that no reader takes old
  /// values for new ones.
  void lose(std::vector<job_part> const& unplanned) const;
  /// Its name, age and progress as a line of text for messages; `all` lists the scheduler's devices.
  std::string state(std::vector<planned_device> const& all, std::int64_t now_ns) const;

  /// True if it is the last owner of one of its arrays, so that the array is destroyed with it.
  bool is_last_with_an_array() const;
  /// Moves the arrays of all arguments into the list, so that destroying the job frees none. Nothing else may
  /// follow.
  void move_arrays_to(std::vector<std::shared_ptr<void const>>& list);
  /// True if no task of the job remains to be planned.
  bool is_planned() const;
  bool has_ended() const { return is_planned() && tasks_in_flight == 0; }
  /// True if the policy has assigned a part to the device that is not planned yet, or assigns the next one
  /// now.
  bool has_part_for(std::uint32_t device_index);
  /// Records the end of a task in the report and with the policy. `alone`: no other job's kernel ran on the
  /// device meanwhile.
  void note_end(planned_task const& task, ended_operation const& end, bool alone);
  /// The newest part of a job of several has ended well, in `ns` nanoseconds with the copies before it.
  void end_part(std::int64_t ns);
  /// Records a failure, unless the job has one: tasks that are not planned yet are dropped.
  void fail(job_failure why);
  /// Completes the report and notifies the completions.
  void complete();
  /// True if a device has run part of it.
  bool has_run() const { return !report.tasks.empty(); }

  /// The job's state on one device.
  struct device_state {
    std::uint32_t device;                   ///< as an index in the scheduler's list
    std::uint32_t max_units;                ///< the most units of a task
    std::optional<job_part> deferred = {};  ///< the policy assigned it, but it could not be planned yet
    std::uint32_t in_flight = 0;            ///< tasks in flight, including the deferred one
  };

  job_number number;
  job_request request;              ///< only its parts change it, until move_arrays_to()
  listed_code const* const listed;  ///< null for a plain kernel and a sequence
  std::string const policy;
  std::uint32_t const tasks;
  std::shared_ptr<job_end> const end;

  bool is_shared = false;                 ///< its devices share its unit, by request.shares
  job_part own;                           ///< units of this rank; all units if it is the only one
  std::vector<device_state> devices{};    ///< that take part
  std::unique_ptr<job_split> split;       ///< set once the job has begun
  std::span<joinable_length> joinable{};  ///< the site's lengths, on each device of the list; set once
                                          ///< the job has begun
  std::uint32_t tasks_in_flight = 0;      ///< planned tasks that have not ended
  std::optional<job_failure> failure;
  job_report& report;  ///< of `end`

 private:
  array_uses const whole_uses_;
  std::vector<bool> shared_by_units_;  ///< of each argument
  std::uint64_t bytes_per_unit_ = 0;
};

/// The part of a task that one kernel computes.
struct task_piece {
  job_part part;
  array_uses uses;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< set once it has ended
};

/// The bytes that these uses need: one hull per array, even if the array is several arguments.
std::vector<needed_bytes> needs_of(std::vector<array_use> const& uses);

/// A planned task that has not ended.
struct planned_task {
  std::shared_ptr<job_record> job;
  std::uint32_t device_index;  ///< an index into the job's devices
  job_part part;
  array_uses uses;
  std::vector<task_piece> pieces{};         ///< in the order of their kernels
  std::vector<resident_bytes> residents{};  ///< of each array, pinned
  std::vector<std::size_t> first_bytes{};   ///< for each array: the first byte of its hull
  moved_bytes moved{};
  std::uint64_t own_bytes = 0;  ///< moved for this part alone
  std::size_t pieces_ended = 0;
  bool has_failed = false;
  std::optional<std::uint32_t> share_on{};  ///< the device, if this is the part of a shared task on another
                                            ///< device
  std::vector<planned_task> shares{};       ///< the parts of other devices, if the task is shared

  std::uint32_t device() const { return share_on.value_or(job->devices[device_index].device); }
  place_id place() const { return place_of(device()); }
  /// Gives the task of a shared job the uses of each device. Its piece keeps the uses of all devices: their
  /// results are lost if it fails.
  void share();
  resident_bytes const& resident_of(std::size_t argument) const;
  /// Its units, and where element 0 of each argument's array would be if the device's memory for arrays began
  /// at `memory`. The bytes before the hull do not exist, so that address is not computed as a pointer.
  task_extent extent(std::byte* memory) const;
  /// The time when the last piece ended; valid once all have.
  std::int64_t end_ns() const;
  /// The time in which at least one piece ran: pieces at the ends wait for neighbours, the rest does not.
  std::int64_t busy_ns() const;
};

}  // namespace ballast::detail

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

#include "array_state.hpp"
#include "ballast/access_map.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/detail/job/split_policy.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/stream.hpp"
#include "job_failed.hpp"
#include "job_order.hpp"
#include "operations.hpp"
#include "task_join.hpp"
#include "working_set.hpp"

namespace ballast::detail {

class job_runtime;

/// All that planning needs to know of a device.
struct planned_device {
  std::string name;
  bool is_cuda = false;
  std::size_t bytes = 0;  ///< bytes of its memory for arrays
};

inline place_id place_of(std::uint32_t device) { return place_id(1 + device); }

/// A kernel of a set that the scheduler was given.
struct listed_code {
  kernel_code code;
  std::vector<std::uint64_t> blocks_at_once;  ///< on each device
};

/// Jobs of one site share what a policy has learned: a factory's number or one that the job names, the grid's
/// blocks and the dimension in which it is cut, and the policy.
using job_site = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, int, std::string>;

job_site site_of(job_request const& request, std::string const& policy);

/// What a part of a job does with each array, in the order of the arguments.
using array_uses = std::shared_ptr<std::vector<array_use> const>;

/// The accesses of the requested job's part. Throws what a map throws.
array_uses uses_of(job_request const& request, job_part part);

/// What one of several devices does with the arrays of a job that they share.
struct job_share {
  std::uint32_t device = 0;
  std::vector<array_use> uses{};          ///< its uses of each argument; `written` also has what others write
  std::vector<byte_runs> written_last{};  ///< of each argument: what is valid here alone in the end
};

/// How devices share a job of one unit.
struct job_shares {
  std::vector<job_share> of{};      ///< at least two; the first device's stream has the launch
  std::uint64_t bytes_between = 0;  ///< that it copies between them
  /// Throws if one of the devices is lost, as the launch's stream need not report it.
  std::function<void()> check = {};
  /// Waits for the other devices where the launch's stream is lost or has failed.
  std::function<void()> settle = {};
};

/// As messages call a job.
std::string display_name_of(std::string const& name, job_number number);

/// The end of a job, which completions look at also when the scheduler is gone.
class job_end final : public completion_source {
 public:
  job_end(std::weak_ptr<job_runtime const> runtime, std::string name, job_number number,
          clock::duration timeout)
      : runtime_(std::move(runtime)), name_(std::move(name)), number_(number), timeout_(timeout) {}

  void renumber(job_number to) { number_ = to; }
  /// Wakes waiting threads; called once. `failure`: none if the job ended well.
  void complete(job_report report, std::optional<job_failure> failure);

  bool has_ended(completion_key const&) override { return complete_.load(std::memory_order_acquire); }
  /// Throws job_failed or stopped, each caller one of its own, and timed_out.
  void wait(completion_key const& job, deadline until) override;
  clock::duration timeout(completion_key const&) const override { return timeout_; }
  bool notify_at_end(completion_key const& job, std::shared_ptr<end_listener> const& listener) override;
  /// The report; after wait().
  job_report const& report() const { return report_; }

 private:
  [[noreturn]] void throw_timed_out() const;

  std::weak_ptr<job_runtime const> const runtime_;
  std::string const name_;
  job_number number_;
  clock::duration const timeout_;
  event_count wake_event_;
  // Written once, before complete_.
  job_report report_;
  std::optional<job_failure> failure_;
  std::atomic<bool> complete_ = false;
};

/// A job that has not ended. The runtime's, under its mutex, but for the constants.
class job_record {
 public:
  /// `whole`: uses_of() all units.
  job_record(job_number number, job_request request, array_uses whole, listed_code const* listed,
             std::string policy, std::uint32_t tasks, std::weak_ptr<job_runtime const> runtime,
             clock::duration timeout);

  job_grid const& grid() const { return request.setup.grid; }
  /// Of the whole job, on whatever rank.
  std::uint32_t units() const { return grid().units(); }
  kernel_code const* code() const { return listed == nullptr ? nullptr : &listed->code; }
  job_site site() const { return site_of(request, policy); }
  /// As messages call it: "'step' (number 17)".
  std::string display_name() const;
  /// Before anybody has its completion.
  void renumber(job_number to);

  /// What a part reads and writes; of the whole job what its maps, which are pure, said at first. Throws what
  /// a map throws.
  array_uses uses(job_part part) const;
  /// What a part reads and writes, as conservative_uses(), but fails the job if a map throws.
  array_uses uses_or_failure(job_part part);
  /// What a part reads and writes; what the whole job does if a map throws.
  array_uses conservative_uses(job_part part) const;
  /// Decides is_shared_by_units() and bytes_per_unit(); called once, for a job with units. Throws what a map
  /// throws.
  void measure_arguments();
  /// True if every unit reads or writes all that the job does of an argument.
  bool is_shared_by_units(std::size_t argument) const { return shared_by_units_[argument]; }
  /// True if two units read something in common that not all units read. Throws what a map throws.
  bool read_in_common(std::uint32_t unit, std::uint32_t other) const;
  /// The bytes of one unit that units do not share.
  std::uint64_t bytes_per_unit() const { return bytes_per_unit_; }

  /// The memory that a part's arrays take on a device.
  std::size_t memory_of(job_part part) const;
  /// Marks the data that these unplanned parts were to write as lost, so that no reader takes old values for
  /// new ones.
  void lose(std::vector<job_part> const& unplanned) const;
  /// Its progress as a line of text for messages; `all` are the devices of the list.
  std::string state(std::vector<planned_device> const& all) const;

  /// True if no one else holds some array of it, so that the array goes with it.
  bool is_last_with_an_array() const;
  /// Puts the arrays of all arguments into the list, so that destroying the job frees none. Nothing else may
  /// follow.
  void move_arrays_to(std::vector<std::shared_ptr<void const>>& list);
  /// No task of the job is left to be planned.
  bool is_planned() const;
  bool has_ended() const { return is_planned() && tasks_in_flight == 0; }
  /// Gives up what was not planned. The first failure counts.
  void fail(job_failure why);
  /// Notifies the completions.
  void complete();
  /// True if a device did something of it; once it is complete.
  bool has_run() const { return !end->report().tasks.empty(); }

  /// What the job does on one device.
  struct device_state {
    std::optional<job_part> deferred = {};  ///< the policy gave it, but it could not be planned yet
    std::uint32_t in_flight = 0;            ///< tasks in flight, the deferred one included
  };

  job_number number;
  job_request request;              ///< constant until move_arrays_to()
  listed_code const* const listed;  ///< null for a plain kernel and a sequence
  std::string const policy;
  std::uint32_t const tasks;
  std::shared_ptr<job_end> const end;

  bool is_shared = false;                     ///< its devices share its unit, by request.shares
  job_part own;                               ///< units of this rank; all, unless the scheduler has peers
  std::vector<std::uint32_t> devices{};       ///< that take part, by their places in the list
  std::vector<std::uint32_t> max_units{};     ///< of a task, for each of `devices`
  std::vector<device_state> device_states{};  ///< for each of `devices`
  std::unique_ptr<job_split> split;           ///< once it has begun
  std::span<joinable_length> joinable{};      ///< its site's, on each device of the list; once it has begun
  std::uint32_t tasks_in_flight = 0;          ///< that were planned
  std::optional<job_failure> failure;
  job_report report;

 private:
  array_uses const whole_uses_;
  std::vector<bool> shared_by_units_;  ///< of each argument
  std::uint64_t bytes_per_unit_ = 0;
};

/// What one kernel of a task computes.
struct task_piece {
  job_part part;
  array_uses uses;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< once it has ended
};

/// One hull per array, though it may be several arguments.
std::vector<needed_bytes> needs_of(std::vector<array_use> const& uses);

/// A task that was planned and has not ended.
struct planned_task {
  std::shared_ptr<job_record> job;
  std::uint32_t device_index;  ///< which of the job's devices
  job_part part;
  array_uses uses;
  std::vector<task_piece> pieces{};         ///< in the order of their kernels
  std::vector<resident_bytes> residents{};  ///< of each array, pinned
  std::vector<std::size_t> first_bytes{};   ///< of each array: the first byte of its hull
  moved_bytes moved{};
  std::uint64_t own_bytes = 0;  ///< moved for this part alone
  std::size_t pieces_ended = 0;
  bool has_failed = false;
  std::optional<std::uint32_t> share_on{};  ///< the device, if this is what others do of a shared task
  std::vector<planned_task> shares{};       ///< of other devices

  std::uint32_t device() const { return share_on.value_or(job->devices[device_index]); }
  place_id place() const { return place_of(device()); }
  resident_bytes const& resident_of(std::size_t argument) const;
  /// Its units, and where element 0 of each argument's array would be if the device's memory for arrays began
  /// at `memory`. What is before the hull is not there, and is not computed as a pointer.
  task_extent extent(std::byte* memory) const;
  /// When the last piece ended; once all have.
  std::int64_t end_ns() const;
  /// The time in which at least one piece ran: those at the ends wait for neighbours, the rest does not.
  std::int64_t busy_ns() const;
};

}  // namespace ballast::detail

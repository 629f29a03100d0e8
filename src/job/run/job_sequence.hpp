// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arrays/array_state.hpp"
#include "arrays/byte_runs.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/stream.hpp"
#include "plan/job_order.hpp"
#include "plan/sequence_plan.hpp"

namespace ballast::detail {

class job_runtime;

/// The number of repetitions of a sequence in a graph, and whether to capture one now. Pure.
struct capture_plan {
  std::uint32_t repetitions = 0;
  bool is_due = false;
};

/// The most launches of a graph on one device. More gain nothing: launching the graph costs little compared
/// with its launches.
inline constexpr std::size_t max_captured_launches = 128;
/// The limit if devices share the sequence: no device begins the next graph before all have ended this one.
inline constexpr std::size_t max_captured_when_shared = 1024;

/// Decides for a sequence of `jobs` launches that will run `left` times more, and of which `launched`
/// launches were issued singly. A capture that is due costs at most as much as issuing all of these launches
/// singly.
capture_plan plan_capture(device_costs const& costs, std::size_t jobs, std::uint64_t launched,
                          std::uint32_t left, std::size_t max_launches = max_captured_launches);

/// Whether a launch of a sequence may begin before the stream's previous work has ended
/// (docs/decisions/0043). `code` is null for a plain kernel. Pure.
bool may_overlap(kernel_code const* code, bool follows_a_launch_of_the_sequence);

/// Repetitions that a device's stream captured.
struct captured_repetitions {
  std::unique_ptr<captured_work> work = nullptr;
  std::uint32_t repetitions = 0;
  std::uint64_t launched = 0;  ///< one by one
  bool is_in_vain = false;     ///< the device captures nothing
};

/// The launches of a sequence. Keeps no arrays: a submission's job keeps its own. Constant once submitted,
/// except for the graphs that devices captured, and what decides whether devices share it.
class sequence_program {
 public:
  /// `sharers`: the number of devices that may share it; 1 if only one may run it.
  sequence_program(device_list const& devices, sequence_devices on, std::size_t sharers)
      : devices_(devices), sharers_(sharers), on_(on), captured_(devices.size()) {}
  /// Copies no captured graphs, and nothing learned.
  sequence_program(sequence_program const& other)
      : devices_(other.devices_),
        sharers_(other.sharers_),
        on_(other.on_),
        steps_(other.steps_),
        captured_(devices_.size()) {}

  /// `arrays`: for each argument of the job, its index among all arrays of the sequence.
  void add(job_request const& job, kernel_code const* code, std::vector<std::size_t> arrays);
  std::size_t jobs() const { return steps_.size(); }
  bool may_be_shared() const { return sharers_ > 1; }

  // Under the scheduler's mutex.
  /// The plan by which devices share the next repetitions; null if one device runs them. It takes longer than
  /// a submission, so it is made when it is first wanted. Throws the exception of a map.
  sequence_plan const* next_plan(std::vector<sequence_job> const& jobs, copy_links const& links);
  /// How many of `left` repetitions to run next, once next_plan() has decided where.
  std::uint32_t next_run(std::uint32_t left) const {
    return on_ == sequence_devices::all ? left : choice_.next_run(left);
  }
  /// Learns the time of a repetition. `wanted`: next_plan() had a plan for it; `is_shared`: devices shared
  /// it.
  void learn(double ns, bool wanted, bool is_shared);

  /// Throws error if a device other than the first is lost, and device_lost if the first device is.
  void check_devices() const;
  /// Enqueues `times` repetitions. `whole` has all arrays of the sequence. Called only on the thread of the
  /// device of `whole`.
  void enqueue(task_launch const& whole, std::uint32_t times, stream& on);
  /// Waits until no device works on the sequence any more, at most a minute for each stream.
  void settle() const noexcept;

 private:
  struct step {
    job_grid grid;
    kernel_code const* code;
    kernel_code overlapping;  ///< `code`, for launches that may begin early
    std::function<void(task_launch const&, stream&)> launch;
    std::vector<std::size_t> arrays;
  };
  /// The addresses of the arrays on a device: of all arrays, and in the order of each step.
  struct placed_arrays {
    std::vector<void*> at = {};
    std::vector<std::vector<void*>> of_steps = {};
  };
  struct captured_by_device : captured_repetitions {
    placed_arrays arrays;
  };
  struct shared_by_devices : captured_repetitions {
    explicit shared_by_devices(sequence_plan its_plan)
        : plan(std::move(its_plan)), arrays(plan.devices()), lanes(plan.devices()) {}
    sequence_plan const plan;
    std::vector<placed_arrays> arrays;                        ///< on each device
    std::vector<std::vector<std::unique_ptr<stream>>> lanes;  ///< for each device, once it has run
  };
  using step_events = std::vector<std::unique_ptr<event>>;

  /// Stores the arrays' addresses. True if the arrays lie elsewhere than at the last call.
  bool place(placed_arrays& arrays, std::span<void* const> at) const;
  void launch(captured_by_device& now, std::uint32_t device, std::uint32_t times, stream& on) const;
  void make_plan(std::vector<sequence_job> const& jobs, copy_links const& links);
  void enqueue_shared(task_launch const& whole, std::uint32_t times, stream& on);
  void open_lanes(shared_by_devices& all) const;
  void run(shared_by_devices& all, std::vector<shared_step> const& steps, std::uint32_t times,
           stream& origin) const;
  step_events run_once(shared_by_devices& all, std::vector<shared_step> const& steps,
                       step_events const& last) const;
  void enqueue_step(shared_by_devices& all, shared_step const& one, stream& on) const;

  device_list const devices_;
  std::size_t const sharers_;
  sequence_devices const on_;
  std::vector<step> steps_;
  std::vector<captured_by_device> captured_;
  bool is_planned_ = false;  ///< and if shared_ is null, devices cannot share it
  std::unique_ptr<shared_by_devices> shared_;
  sharing_choice choice_{sharers_};
};

/// An array of a sequence, and its uses by the jobs. Bytes that the first job writes, and no job reads
/// before, are not copied to the device.
struct sequence_array {
  std::shared_ptr<array_state> state;
  byte_runs read = {}, written = {};
  std::size_t bytes_written_first = 0;  ///< bytes that the first job writes, if it reads none

  /// Adds a use, by an argument of a job that does or does not read the array.
  void add(array_use const& use, bool is_read_by_job);
  /// The sequence's access as one job: a write if it writes, else a read.
  job_argument argument() const;
  /// The additional read access, if there is one.
  std::optional<job_argument> argument_read_only() const;

 private:
  byte_runs both(byte_runs const& one, byte_runs const& other) const;
  job_argument argument_of(byte_runs const& bytes, access_mode mode) const;
};

class sequence_content {
 public:
  sequence_content(std::shared_ptr<job_runtime> of, std::string its_name);

  void add(job_request const& job);
  std::size_t jobs() const { return program_->jobs(); }
  bool is_of(job_runtime const& other) const { return runtime_.get() == &other; }
  /// The sequence as one job.
  job_request request(std::uint32_t times);

 private:
  std::shared_ptr<job_runtime> const runtime_;
  std::string const name_;
  static inline std::atomic<std::uint64_t> newest_number = 0;
  std::uint64_t const number_;
  std::shared_ptr<std::vector<sequence_job>> jobs_;  ///< kept only if devices may share them
  std::vector<sequence_array> arrays_;
  bool is_for_gpus_ = false;
  std::shared_ptr<sequence_program> program_;
  bool was_submitted_ = false;  ///< other threads may run and have captured the program, and read jobs_
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "array_state.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "byte_runs.hpp"
#include "job_order.hpp"

namespace ballast::detail {

class job_runtime;

/// How many repetitions of a sequence a graph has, and whether it is time to capture one. Pure.
struct capture_plan {
  std::uint32_t repetitions = 0;
  bool is_due = false;
};

/// Of a sequence of `jobs` launches, of which `launched` went one by one, and that is to run `left` times
/// more. So capturing costs at most as much as what going without it has lost.
capture_plan plan_capture(device_costs const& costs, std::size_t jobs, std::uint64_t launched,
                          std::uint32_t left);

/// What a sequence launches. Keeps no arrays: those of a submission are kept by its job. Once submitted it is
/// constant, but for what devices captured.
class sequence_program {
 public:
  explicit sequence_program(device_list const& devices) : devices_(devices), captured_(devices.size()) {}
  /// With nothing captured.
  sequence_program(sequence_program const& other)
      : devices_(other.devices_), steps_(other.steps_), captured_(devices_.size()) {}

  /// `arrays`: of each argument of the job, by its place among all arrays of the sequence.
  void add(job_request const& job, kernel_code const* code, std::vector<std::size_t> arrays);
  std::size_t jobs() const { return steps_.size(); }
  /// Enqueues so many repetitions. `whole` has all arrays of the sequence. Only the thread of that device.
  void enqueue(task_launch const& whole, std::uint32_t times, stream& on);

 private:
  struct step {
    job_grid grid;
    kernel_code const* code;
    std::function<void(task_launch const&, stream&)> launch;
    std::vector<std::size_t> arrays;
  };
  struct captured_by_device {
    std::vector<void*> at = {};                     ///< where the arrays are
    std::vector<std::vector<void*>> of_steps = {};  ///< likewise, as each step takes them
    std::unique_ptr<captured_work> work = nullptr;
    std::uint32_t repetitions = 0;
    std::uint64_t launched = 0;  ///< one by one
    bool is_in_vain = false;     ///< the device captures nothing
  };

  captured_by_device& at_home(task_launch const& whole);
  void launch_once(captured_by_device& now, std::uint32_t device, stream& on) const;
  bool capture_if_due(captured_by_device& now, std::uint32_t device, std::uint32_t left, stream& on) const;

  device_list const devices_;
  std::vector<step> steps_;
  std::vector<captured_by_device> captured_;
};

/// An array of a sequence, and what its jobs do with it. What the first one writes, and no job reads before,
/// is not copied to the device.
struct sequence_array {
  std::shared_ptr<array_state> state;
  byte_runs read = {}, written = {};
  std::size_t bytes_written_first = 0;  ///< by the first job that touches it, which reads none

  /// One more use, by an argument of a job that reads the array or not.
  void add(array_use const& use, bool is_read_by_job);
  /// Of the sequence as one job: what is written, or else read.
  job_argument argument() const;
  /// What is read beside that, if there is some.
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
  std::uint64_t const number_;
  std::vector<sequence_array> arrays_;
  bool is_for_gpus_ = false;
  std::shared_ptr<sequence_program> program_;
  bool was_submitted_ = false;  ///< the program: then others run it, and have captured it
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ballast/base/deadline.hpp"
#include "ballast/device/doorbell.hpp"
#include "ballast/job/job_grid.hpp"
#include "ballast/job/job_report.hpp"

namespace ballast::inline job {

class scheduler_core;

/// Why a job failed: what a job_failed says besides the job's name.
struct job_failure {
  job_part part;
  std::string device, cause;
};

/// What tickets of a job look at, also when the scheduler is gone.
class job_end {
 public:
  job_end(std::weak_ptr<scheduler_core const> core, std::string job)
      : core_(std::move(core)), job_(std::move(job)) {}

  /// Once. `failure`: none if it ended well.
  void come(job_report report, std::optional<job_failure> failure);

  bool has_come() const { return come_.load(std::memory_order_acquire); }
  /// Throws job_failed, each caller one of its own, and deadline_passed.
  void wait(deadline until);
  /// After wait().
  job_report const& report() const { return report_; }

 private:
  [[noreturn]] void give_up() const;

  std::weak_ptr<scheduler_core const> const core_;
  std::string const job_;
  doorbell bell_;
  job_report report_;                   // written once, before come_
  std::optional<job_failure> failure_;  // likewise
  std::atomic<bool> come_ = false;
};

}  // namespace ballast::inline job

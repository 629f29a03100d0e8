// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ballast/access_map.hpp"
#include "ballast/deadline.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {

class job_runtime;

/// Why a job failed: what a job_failed says besides the job's name.
struct job_failure {
  job_part part;
  std::string device, cause;
};

/// What tickets of a job look at, also when the scheduler is gone.
class job_ticket_state {
 public:
  job_ticket_state(std::weak_ptr<job_runtime const> runtime, std::string job)
      : runtime_(std::move(runtime)), job_(std::move(job)) {}

  /// Once. `failure`: none if it ended well.
  void complete(job_report report, std::optional<job_failure> failure);

  bool is_complete() const { return complete_.load(std::memory_order_acquire); }
  /// Throws job_failed, each caller one of its own, and timed_out.
  void wait(deadline until);
  /// After wait().
  job_report const& report() const { return report_; }

 private:
  [[noreturn]] void throw_timed_out() const;

  std::weak_ptr<job_runtime const> const runtime_;
  std::string const job_;
  event_count wake_event_;
  job_report report_;                   // written once, before complete_
  std::optional<job_failure> failure_;  // likewise
  std::atomic<bool> complete_ = false;
};

}  // namespace ballast::detail

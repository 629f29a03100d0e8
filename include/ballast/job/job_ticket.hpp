// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "ballast/base/deadline.hpp"
#include "ballast/job/job_report.hpp"

namespace ballast::inline job {

class job_ticket_state;

/// One job. Cheap to copy; may outlive the scheduler. Any thread may call any member.
class job_ticket {
 public:
  /// Of no job: finished, with an empty report.
  job_ticket() = default;
  explicit job_ticket(std::shared_ptr<job_ticket_state> state) : state_(std::move(state)) {}

  /// Whether all its tasks have ended; or it has failed, nothing of it runs any more, and older jobs have
  /// nothing to read or write of what it was to write. Does not wait.
  bool is_finished() const;
  /// Sleeps until is_finished(). Throws job_failed, and timed_out with the state of the scheduler.
  void wait(deadline until = deadline::in(std::chrono::minutes(10))) const;
  /// Waits as wait() does, and throws likewise.
  job_report report(deadline until = deadline::in(std::chrono::minutes(10))) const;

 private:
  std::shared_ptr<job_ticket_state> state_;
};

}  // namespace ballast::inline job

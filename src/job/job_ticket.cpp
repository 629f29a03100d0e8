// SPDX-License-Identifier: Apache-2.0
#include "ballast/job/job_ticket.hpp"

#include <utility>

#include "ballast/base/error.hpp"
#include "ballast/job/job_failed.hpp"
#include "job_end.hpp"
#include "scheduler_core.hpp"

namespace ballast::inline job {

void job_end::come(job_report report, std::optional<job_failure> failure) {
  report_ = std::move(report);
  failure_ = std::move(failure);
  come_.store(true, std::memory_order_release);
  bell_.ring();
}

void job_end::wait(deadline until) {
  for (auto seen = bell_.rings(); !has_come(); seen = bell_.rings())
    if (!bell_.wait_awake_past(seen, until.at()) && !has_come()) give_up();
  if (failure_) throw job_failed(job_, failure_->part, failure_->device, failure_->cause);
}

void job_end::give_up() const {
  auto const core = core_.lock();
  throw deadline_passed("job " + job_ + " to end", core ? core->state() : "the scheduler is gone\n");
}

bool job_ticket::is_finished() const { return end_ == nullptr || end_->has_come(); }

void job_ticket::wait(deadline until) const {
  if (end_ != nullptr) end_->wait(until);
}

job_report job_ticket::report(deadline until) const {
  if (end_ == nullptr) return {};
  end_->wait(until);
  return end_->report();
}

}  // namespace ballast::inline job

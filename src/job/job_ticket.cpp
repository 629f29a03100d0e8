// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"

#include <utility>

#include "ballast/error.hpp"
#include "job_runtime.hpp"
#include "job_ticket_state.hpp"

namespace ballast {

using namespace detail;

void job_ticket_state::complete(job_report report, std::optional<job_failure> failure) {
  report_ = std::move(report);
  failure_ = std::move(failure);
  complete_.store(true, std::memory_order_release);
  wake_event_.notify();
}

void job_ticket_state::wait(deadline until) {
  for (auto seen = wake_event_.epoch(); !is_complete(); seen = wake_event_.epoch())
    if (!wake_event_.spin_then_wait_past(seen, until.at()) && !is_complete()) throw_timed_out();
  if (failure_) throw job_failed(job_, failure_->part, failure_->device, failure_->cause);
}

void job_ticket_state::throw_timed_out() const {
  auto const runtime = runtime_.lock();
  throw timed_out("job " + job_ + " to end", runtime ? runtime->state() : "the scheduler is gone\n");
}

bool job_ticket::is_finished() const { return state_ == nullptr || state_->is_complete(); }

void job_ticket::wait(deadline until) const {
  if (state_ != nullptr) state_->wait(until);
}

job_report job_ticket::report(deadline until) const {
  if (state_ == nullptr) return {};
  state_->wait(until);
  return state_->report();
}

}  // namespace ballast

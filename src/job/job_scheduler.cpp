// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"

#include <utility>

#include "job_record.hpp"
#include "job_runtime.hpp"

namespace ballast {

using namespace detail;

job_scheduler::job_scheduler(device_list const& devices, job_options const& options)
    : runtime_(std::make_shared<job_runtime>(devices, options)) {
  runtime_->start();
}

job_scheduler::job_scheduler(device_list const& devices, job_kernels const& kernels,
                             job_options const& options)
    : job_scheduler(devices, options) {
  add(kernels);
}

job_scheduler::~job_scheduler() { runtime_->stop(deadline::in(runtime_->options().shutdown_timeout)); }

void job_scheduler::add(job_kernels const& more) { runtime_->add(more); }

job_ticket job_scheduler::submit_request(job_request request) { return runtime_->submit(std::move(request)); }

void job_scheduler::drain(deadline until) { runtime_->drain(until); }

job_statistics job_scheduler::statistics() const { return runtime_->statistics(); }

std::vector<journal_entry> job_scheduler::journal() const { return runtime_->journal(); }

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

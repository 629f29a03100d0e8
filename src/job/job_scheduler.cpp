// SPDX-License-Identifier: Apache-2.0
#include "ballast/job/job_scheduler.hpp"

#include <utility>

#include "scheduler_core.hpp"

namespace ballast::inline job {

job_scheduler::job_scheduler(device_list const& devices, job_options const& options)
    : core_(std::make_shared<scheduler_core>(devices, options)) {
  core_->start();
}

job_scheduler::job_scheduler(device_list const& devices, job_kernels const& kernels,
                             job_options const& options)
    : job_scheduler(devices, options) {
  add(kernels);
}

job_scheduler::~job_scheduler() { core_->stop(deadline::in(core_->options().patience)); }

void job_scheduler::add(job_kernels const& more) { core_->add(more); }

job_ticket job_scheduler::submit_request(job_request request) { return core_->submit(std::move(request)); }

void job_scheduler::drain(deadline until) { core_->drain(until); }

job_statistics job_scheduler::statistics() const { return core_->statistics(); }

std::vector<operation_note> job_scheduler::journal() const { return core_->journal(); }

}  // namespace ballast::inline job

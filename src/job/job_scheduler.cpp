// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"

#include <utility>

#include "job_record.hpp"
#include "job_runtime.hpp"

namespace ballast {

using namespace detail;

job_scheduler::job_scheduler(device_list const& devices, job_options const& options)
    : detail::running_jobs(std::make_shared<job_runtime>(devices, options)) {
  runtime_->start();
}

job_scheduler::job_scheduler(device_list const& devices, kernel_set const& kernels,
                             job_options const& options)
    : job_scheduler(devices, options) {
  add(kernels);
}

job_scheduler::~job_scheduler() {
  if (runtime_->process().is_parent()) {
    (void)new std::shared_ptr<job_runtime>(std::move(runtime_));  // its threads exist only in the parent
    return;
  }
  auto const at_most = runtime_->options().shutdown_timeout;
  runtime_->log_wait_for_jobs("a job scheduler is destroyed", at_most);
  runtime_->stop(deadline::in(at_most));
}

void job_scheduler::add(kernel_set const& more) { runtime_->add(more); }

completion job_scheduler::submit_request(job_request request) { return runtime_->submit(std::move(request)); }

void job_scheduler::wait_all(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(runtime_->options().timeout));
  throw_if_in_continuation("wait_all()");
  runtime_->wait_all(until);
}

std::vector<completion> job_scheduler::stop(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(runtime_->options().timeout));
  throw_if_in_continuation("stop()");
  return runtime_->stop_jobs(until);
}
void job_scheduler::request_stop() noexcept { runtime_->request_stop(); }

std::uint32_t job_scheduler::rank() const noexcept {
  auto const& peers = runtime_->options().ranks;
  return peers == nullptr ? 0 : peers->rank();
}
std::uint32_t job_scheduler::ranks() const noexcept {
  auto const& peers = runtime_->options().ranks;
  return peers == nullptr ? 1 : peers->ranks();
}

job_statistics job_scheduler::statistics() const { return runtime_->statistics(); }

std::vector<journal_entry> detail::running_jobs::journal() const { return runtime_->journal(); }

job_report report_of(completion const& job, std::optional<deadline> until) {
  auto const end = std::dynamic_pointer_cast<job_end>(job.source());
  if (end == nullptr) throw_bad_argument("job", "the completion of other work", "one that a scheduler gave");
  until ? job.wait_until(*until) : job.wait();
  return end->report();
}

}  // namespace ballast

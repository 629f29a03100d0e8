// SPDX-License-Identifier: Apache-2.0
#include "job_record.hpp"

#include <algorithm>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/trace.hpp"
#include "byte_runs.hpp"
#include "device_executor.hpp"
#include "job_runtime.hpp"

namespace ballast::detail {
namespace {

std::string name_of(job_request const& request) {
  return request.setup.name.empty() ? request.kernel_name : request.setup.name;
}

std::string display_name_of(job_request const& request, job_number number) {
  return "'" + name_of(request) + "' (number " + std::to_string(number.value()) + ")";
}

byte_runs bytes_of(job_argument const& argument, std::uint32_t units, job_part part) {
  auto const& array = *argument.array;
  return {argument.map.of({part, units, array.shape}), array.shape, array.element_bytes};
}

}  // namespace

job_record::job_record(job_number its_number, job_request its_request, kernel_code const* its_code,
                       std::string its_policy, std::uint32_t its_tasks,
                       std::weak_ptr<job_runtime const> runtime, clock::duration timeout)
    : number(its_number),
      request(std::move(its_request)),
      code(its_code),
      policy(std::move(its_policy)),
      tasks(its_tasks),
      end(std::make_shared<job_end>(std::move(runtime), display_name_of(request, number), timeout)),
      display_name_(display_name_of(request, number)) {
  report.name = name_of(request);
  report.policy = policy;
  report.submitted_ns = now_ns();
}

std::vector<array_use> job_record::uses(job_part part) const {
  std::vector<array_use> found;
  for (auto const& argument : request.arguments) {
    auto const bytes = bytes_of(argument, units(), part);
    found.push_back({argument.array->id, argument.reads() ? bytes : byte_runs(),
                     argument.writes() ? bytes : byte_runs()});
  }
  return found;
}

std::vector<array_use> job_record::uses_or_failure(job_part part) {
  try {
    return uses(part);
  } catch (...) {
    fail({part, "", cause_of(std::current_exception())});
    return conservative_uses(part);
  }
}

std::vector<array_use> job_record::conservative_uses(job_part part) const {
  try {
    return uses(part);
  } catch (...) { return uses({0, units()}); }  // submit() has tried these
}

void job_record::measure_arguments() {
  for (auto const& argument : request.arguments) {
    auto const of_one = bytes_of(argument, units(), {0, 1}).bytes();
    auto const of_all = bytes_of(argument, units(), {0, units()}).bytes();
    shared_by_units_.push_back(units() > 1 && of_one == of_all);
    if (!shared_by_units_.back()) bytes_per_unit_ += of_one;
  }
}

bool job_record::read_in_common(std::uint32_t unit, std::uint32_t other) const {
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    auto const& argument = request.arguments[i];
    if (!argument.reads() || is_shared_by_units(i)) continue;
    if (bytes_of(argument, units(), {unit, 1}).overlaps(bytes_of(argument, units(), {other, 1}))) return true;
  }
  return false;
}

bool job_record::is_planned() const {
  if (failure || units() == 0) return true;
  return split != nullptr && split->unissued() == 0 &&
         std::ranges::none_of(device_states, [](auto const& device) { return device.deferred.has_value(); });
}

void job_record::fail(job_failure why) {
  if (!failure) failure = std::move(why);
}

void job_record::complete() {
  if (!report.tasks.empty()) {
    report.begin_ns = std::ranges::min(report.tasks, {}, &task_report::begin_ns).begin_ns;
    report.end_ns = std::ranges::max(report.tasks, {}, &task_report::end_ns).end_ns;
  }
  end->complete(std::move(report), failure);
}

void job_end::complete(job_report report, std::optional<job_failure> failure) {
  report_ = std::move(report);
  failure_ = std::move(failure);
  complete_.store(true, std::memory_order_release);
  wake_event_.notify();
}

bool job_end::notify_at_end(completion_key const&, event_count* bell) {
  wake_event_.forward_to(bell);
  return true;
}

void job_end::wait(completion_key const& job, deadline until) {
  nvtx_range const shown("wait for a job");
  for (auto seen = wake_event_.epoch(); !has_ended(job); seen = wake_event_.epoch())
    if (!wake_event_.spin_then_wait_past(seen, until.at()) && !has_ended(job)) throw_timed_out();
  if (failure_) throw job_failed(job_, failure_->part, failure_->device, failure_->cause);
}

void job_end::throw_timed_out() const {
  auto const runtime = runtime_.lock();
  throw timed_out("job " + job_ + " to end", runtime ? runtime->state() : "the scheduler is gone\n");
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"

#include <cstdint>
#include <exception>
#include <utility>

#include "arrays/array_state.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/error.hpp"
#include "plan/job_record.hpp"
#include "run/job_runtime.hpp"

namespace ballast {

using namespace detail;
namespace {

void check_memory(memory_to_adopt memory, extents const& shape) {
  auto const address = reinterpret_cast<std::uintptr_t>(memory.first);
  if (address == 0 && shape.elements() != 0)
    throw_bad_argument("memory", "null for " + detail::counted(shape.elements(), "element"),
                       "the address of the first element");
  if (address % memory.alignment != 0)
    throw_bad_argument("memory", "address " + std::to_string(address),
                       "a multiple of " + std::to_string(memory.alignment) + ", as the elements need");
}

/// Copies the newest values to the adopted memory, for the caller. Afterwards they are valid nowhere else,
/// and no operation touches the memory any more. If it throws, as open() does, nothing has changed.
void release_memory(std::shared_ptr<array_state> const& array, deadline until) {
  auto& runtime = *array->runtime;
  runtime.set_released(*array, true);
  try {
    runtime.open(array, {host_use::take_home}, until);
  } catch (...) {
    runtime.set_released(*array, false);
    throw;
  }
}

/// Waits until no operation uses the adopted memory; false if that fails or takes too long. Lost values do
/// not matter, since nothing is read.
bool is_unused_within(std::shared_ptr<array_state> const& array, deadline until) {
  try {
    array->runtime->open(array, {host_use::give_up}, until);
    return true;
  } catch (error const&) { return false; }
}

/// Releases the memory like release_memory(), for destructors: logs failures, and calls std::terminate() if a
/// device may still use the memory.
void give_back_memory(std::shared_ptr<array_state> const& array) noexcept {
  auto& runtime = *array->runtime;
  if (runtime.process().is_parent()) return;
  auto const at_most = runtime.options().timeout;
  auto const until = deadline::in(at_most);
  std::string why;
  try {
    runtime.log_wait_for_jobs(array->name() + " is destroyed, whose memory goes back to the caller", at_most);
    return release_memory(array, until);
  } catch (std::exception const& failure) { why = failure.what(); }
  bool const is_unused = is_unused_within(array, until) || runtime.is_at_rest_within(until);
  runtime.set_released(*array, true);
  write_log(log_level::warning, "the memory of " + array->name() +
                                    (is_unused ? " goes back without its newest values: "
                                               : " is still used when its array goes: ") +
                                    why);
  if (!is_unused) std::terminate();
}

}  // namespace

void detail::check_sizes(extents const& sizes, std::size_t elements) {
  if (sizes.elements() != elements)
    throw_bad_argument("sizes", detail::counted(sizes.elements(), "element"),
                       std::to_string(elements) + ", as the span has");
}

void detail::check_has_no_gaps(bool is_contiguous) {
  if (!is_contiguous)
    throw_bad_argument("view", "one with gaps or in another order", "row-major without gaps");
}

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
  auto const& all = runtime_->options().ranks;
  return all == nullptr ? 0 : all->rank();
}
std::uint32_t job_scheduler::ranks() const noexcept {
  auto const& all = runtime_->options().ranks;
  return all == nullptr ? 1 : all->ranks();
}

job_statistics job_scheduler::statistics() const { return runtime_->statistics(); }

job_report report_of(completion const& job, std::optional<deadline> until) {
  auto const end = std::dynamic_pointer_cast<job_end>(job.source());
  if (end == nullptr) throw_bad_argument("job", "the completion of other work", "one that a scheduler gave");
  until ? job.wait_until(*until) : job.wait();
  return end->report();
}

array_handle::array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes,
                           std::string name)
    : state_(of.runtime()->make_array(shape, element_bytes, std::move(name), {})), open_(&state_->open) {}

array_handle::array_handle(job_scheduler& of, extents const& shape, std::size_t element_bytes,
                           std::string name, memory_to_adopt memory)
    : state_((check_memory(memory, shape),
              of.runtime()->make_array(shape, element_bytes, std::move(name),
                                       adopted_copy{static_cast<std::byte*>(memory.first),
                                                    of.runtime()->place_of(memory.device)}))),
      open_(&state_->open) {}

extents const& array_handle::shape() const noexcept { return state_->shape; }

void* array_handle::address() const noexcept { return state_->host_memory(); }

void* array_handle::adopted_address() const noexcept { return state_->home_memory(); }

index_range array_handle::own() const { return state_->runtime->own_elements_of(*state_); }

index_range array_handle::open(access_request const& what, std::optional<deadline> until) const {
  auto& runtime = *state_->runtime;
  return runtime.open(state_, what, until ? *until : deadline::in(runtime.options().timeout));
}

void array_handle::release(std::optional<deadline> until) {
  if (!state_->is_adopted())
    throw_bad_argument("array", state_->name() + ", whose memory is its own", "an array of adopted memory");
  auto& runtime = *state_->runtime;
  release_memory(state_, until ? *until : deadline::in(runtime.options().timeout));
  state_ = nullptr;
}

void array_handle::give_up() noexcept {
  if (state_ != nullptr && state_->is_adopted()) give_back_memory(state_);
}

}  // namespace ballast

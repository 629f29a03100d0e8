// SPDX-License-Identifier: Apache-2.0
#include "stream_queue.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "ballast/error.hpp"
#include "failure_cause.hpp"
#include "now_ns.hpp"

namespace ballast::detail {
namespace {

constexpr auto between_looks_at_lost_stream = std::chrono::microseconds(100);

std::exception_ptr thrown_by(std::function<void()> const& call) {
  try {
    call();
  } catch (...) { return std::current_exception(); }
  return nullptr;
}

}  // namespace

stream_queue::stream_queue(compute_device& device, std::uint32_t executor, event_count& wake_event)
    : wake_event_(wake_event),
      executor_(executor),
      on_cuda_(device.is_cuda()),
      stream_(device.make_stream()) {}

bool stream_queue::is_at_rest() const {
  return stream_ == nullptr || (issued_.empty() && !is_lost_) || stream_->is_at_rest();
}

void stream_queue::close(deadline until) {
  is_lost_ = true;
  while (stream_ != nullptr && !stream_->is_at_rest()) {
    if (until.passed()) return;
    std::this_thread::sleep_for(between_looks_at_lost_stream);
  }
  stream_.reset();
}

/// Looks again after watching: else a step in between would wake nobody.
template <class Reached>
bool stream_queue::is_at(operation_progress& earlier, Reached reached) const {
  if (reached()) return true;
  earlier.watch(executor_);
  return reached();
}

bool stream_queue::is_in_same_stream(operation_progress const& earlier) const {
  return earlier.on() == waiting_.front().progress->on();
}

bool stream_queue::may_issue(device_operation const& work) const {
  return std::ranges::all_of(work.dependencies, [&](auto const& earlier) {
    return is_at(*earlier, [&] { return earlier->may_be_followed(on_cuda_); });
  });
}

bool stream_queue::are_over(progress_list const& earlier) const {
  return std::ranges::all_of(earlier,
                             [&](auto const& one) { return is_at(*one, [&] { return one->is_over(); }); });
}

std::shared_ptr<operation_progress> stream_queue::issue_next() {
  if (waiting_.empty() || !may_issue(waiting_.front())) return nullptr;
  issued_.push_back(enqueue(waiting_.front()));
  waiting_.pop_front();
  auto const& issued = issued_.back();
  if (issued.failure) issued.progress->mark_failed();
  issued.progress->mark_issued(issued.end);
  return issued.progress;
}

stream_queue::issued_work stream_queue::enqueue(device_operation const& work) {
  issued_work result{.progress = work.progress,
                     .is_kernel = work.is_kernel,
                     .dependencies = work.dependencies,
                     .conclude = work.conclude};
  try {
    try_to_enqueue(work, result);
  } catch (...) { result.failure = std::current_exception(); }
  result.issued_ns = now_ns();
  return result;
}

/// What comes after one that could not be issued waits for the event behind it all the same, since the stream
/// may still be at what was before.
void stream_queue::try_to_enqueue(device_operation const& work, issued_work& result) {
  bool const measured = work.is_kernel && !on_cuda_;
  try {
    wait_for(work.dependencies);
    if (measured) result.begin = stream_->record();
    if (std::ranges::any_of(work.data_dependencies, [](auto const& source) { return source->has_failed(); }))
      result.failure = failure_of_source();
    else
      work.enqueue(*stream_);
  } catch (...) { result.failure = std::current_exception(); }
  result.end = measured ? stream_->record() : stream_->record_untimed();
  stream_->notify_on_completion(wake_event_);
}

void stream_queue::wait_for(progress_list const& earlier) {
  for (auto const& one : earlier)
    if (!one->is_over() && !is_in_same_stream(*one) && one->end_event() != nullptr)
      stream_->wait_for(*one->end_event());
}

/// To ask a GPU costs as much as a third of a launch: of many the newest is asked first, for all of them.
bool stream_queue::is_first_over() {
  if (over_ == 0 && on_cuda_ && issued_.size() > 2 && issued_.back().end && issued_.back().end->reached())
    over_ = issued_.size();
  if (over_ == 0 && issued_.front().end->reached()) over_ = 1;
  return over_ != 0 && are_reported(issued_.front().dependencies);
}

/// What came before in other streams of the executor ends first, since its end is when the next one begins.
bool stream_queue::are_reported(progress_list const& earlier) const {
  return std::ranges::all_of(
      earlier, [&](auto const& one) { return one->on().executor != executor_ || one->is_over(); });
}

std::optional<ended_operation> stream_queue::next_end(kernel_clock const& clock) {
  if (issued_.empty()) return std::nullopt;
  if (issued_.front().end == nullptr) std::rethrow_exception(issued_.front().failure);
  if (!is_first_over()) return std::nullopt;
  auto const& first = issued_.front();
  ended_operation found{first.progress->op(), first.failure};
  if (first.is_kernel && !first.failure) {
    auto const [begin_ns, end_ns] = times_of(first, clock);
    found.begin_ns = begin_ns;
    last_end_ns_ = found.end_ns = end_ns;
  }
  if (!first.failure && first.conclude) found.failure = thrown_by(first.conclude);
  if (found.failure) first.progress->mark_failed();
  last_ended_ = first.progress;
  issued_.pop_front();  // now: the clock throws if the device is lost, and this is ended by its loss then
  --over_;
  return found;
}

/// An event with a time costs a GPU 2 us between two kernels, one without costs nothing
/// (docs/decisions/0014): so its executor says when it saw the end, and the next kernel begins there.
kernel_clock::interval stream_queue::times_of(issued_work const& kernel, kernel_clock const& clock) const {
  if (kernel.begin != nullptr) return clock.between(*kernel.begin, *kernel.end);
  auto begin_ns = std::max(kernel.issued_ns, last_end_ns_);
  for (auto const& earlier : kernel.dependencies) begin_ns = std::max(begin_ns, earlier->over_ns());
  return {begin_ns, std::max(begin_ns, now_ns())};
}

std::optional<ended_operation> stream_queue::next_end_after_loss(std::exception_ptr const& loss) {
  if (is_empty()) return std::nullopt;
  auto const from_issued = !issued_.empty();
  if (!from_issued && !are_over(waiting_.front().dependencies)) return std::nullopt;
  last_ended_ = from_issued ? issued_.front().progress : waiting_.front().progress;
  from_issued ? issued_.pop_front() : waiting_.pop_front();
  last_ended_->mark_failed();
  return ended_operation{last_ended_->op(), loss};
}

}  // namespace ballast::detail

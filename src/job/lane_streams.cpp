// SPDX-License-Identifier: Apache-2.0
#include "lane_streams.hpp"

#include <algorithm>
#include <utility>

#include "failure_cause.hpp"

namespace ballast::inline job {
namespace {

std::exception_ptr thrown_by(std::function<void()> const& call) {
  try {
    call();
  } catch (...) { return std::current_exception(); }
  return nullptr;
}

}  // namespace

lane_queue::lane_queue(compute_device& device, std::uint32_t lane, doorbell& bell)
    : bell_(bell), lane_(lane), on_cuda_(device.is_cuda()), stream_(device.make_stream()) {}

/// Looks again after watching: else a step in between would wake nobody.
template <class Reached>
bool lane_queue::is_at(lane_progress& earlier, Reached reached) const {
  if (reached()) return true;
  earlier.watch(lane_);
  return reached();
}

bool lane_queue::is_in_order_by_itself(lane_progress const& earlier) const {
  return earlier.on() == waiting_.front().progress->on();
}

bool lane_queue::may_issue(lane_work const& work) const {
  return std::ranges::all_of(work.after, [&](auto const& earlier) {
    return is_at(*earlier, [&] { return earlier->may_be_followed(on_cuda_); });
  });
}

bool lane_queue::are_over(progress_list const& earlier) const {
  return std::ranges::all_of(earlier,
                             [&](auto const& one) { return is_at(*one, [&] { return one->is_over(); }); });
}

std::shared_ptr<lane_progress> lane_queue::issue_next() {
  if (waiting_.empty() || !may_issue(waiting_.front())) return nullptr;
  issued_.push_back(enqueue(waiting_.front()));
  waiting_.pop_front();
  auto const& issued = issued_.back();
  if (issued.failure) issued.progress->note_failed();
  issued.progress->note_issued(issued.end);
  return issued.progress;
}

lane_queue::issued_work lane_queue::enqueue(lane_work const& work) {
  issued_work result{work.progress, nullptr, nullptr, nullptr, work.conclude};
  try {
    try_to_enqueue(work, result);
  } catch (...) { result.failure = std::current_exception(); }
  return result;
}

/// What comes after one that could not be issued waits for the event behind it all the same, since the stream
/// may still be at what was before.
void lane_queue::try_to_enqueue(lane_work const& work, issued_work& result) {
  try {
    bool const waits = wait_for(work.after);
    if (work.is_kernel) result.begin = begin_of_kernel(waits);
    if (std::ranges::any_of(work.data_of, [](auto const& source) { return source->has_failed(); }))
      result.failure = failure_of_source();
    else
      work.enqueue(*stream_);
  } catch (...) { result.failure = std::current_exception(); }
  result.end = work.is_kernel ? stream_->record() : stream_->record_unmeasured();
  stream_->ring_after(bell_);
}

/// Whether the stream will wait for another one.
bool lane_queue::wait_for(progress_list const& earlier) {
  bool any = false;
  for (auto const& one : earlier) {
    if (one->is_over() || is_in_order_by_itself(*one) || one->moment() == nullptr) continue;
    stream_->wait_for(*one->moment());
    any = true;
  }
  return any;
}

/// Right behind a kernel that has not ended, its end will do: each event between two kernels costs a GPU
/// time.
std::shared_ptr<event> lane_queue::begin_of_kernel(bool waits) {
  bool const follows_kernel =
      !issued_.empty() && issued_.back().begin != nullptr && issued_.back().end != nullptr;
  if (!waits && follows_kernel && !issued_.back().end->reached()) return issued_.back().end;
  return stream_->record();
}

std::optional<lane_end> lane_queue::next_end(kernel_clock& clock) {
  if (issued_.empty()) return std::nullopt;
  if (issued_.front().end == nullptr) std::rethrow_exception(issued_.front().failure);
  if (!issued_.front().end->reached()) return std::nullopt;
  auto const& [progress, begin, end, failure, conclude] = issued_.front();
  lane_end found{progress->op(), failure};
  if (begin != nullptr && !failure) {
    auto const [begin_ns, end_ns] = clock.between(*begin, end);
    found.begin_ns = begin_ns;
    found.end_ns = end_ns;
  }
  if (!failure && conclude) found.failure = thrown_by(conclude);
  if (found.failure) progress->note_failed();
  last_over_ = progress;
  issued_.pop_front();  // now: the clock throws if the device is lost, and this is ended by its loss then
  return found;
}

std::optional<lane_end> lane_queue::next_end_by(std::exception_ptr const& loss) {
  if (is_empty()) return std::nullopt;
  auto const from_issued = !issued_.empty();
  if (!from_issued && !are_over(waiting_.front().after)) return std::nullopt;
  last_over_ = from_issued ? issued_.front().progress : waiting_.front().progress;
  from_issued ? issued_.pop_front() : waiting_.pop_front();
  last_over_->note_failed();
  return lane_end{last_over_->op(), loss};
}

}  // namespace ballast::inline job

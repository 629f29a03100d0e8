// SPDX-License-Identifier: Apache-2.0
// How launch streams issue themselves, and in which mode launches go.
#include <algorithm>

#include "ballast/error.hpp"
#include "dispatcher.hpp"

namespace ballast::detail {

bool dispatcher::issue_directly(launch_stream_state& line, submission& work) {
  if (!may_issue_directly(line, work)) return false;
  auto const place = stream_for(line);
  auto& target = dispatch_streams_[place];
  completion_events events;
  try {
    record_events_before(work, target, events);
  } catch (...) { return false; }  // the thread will see what it is
  std::unique_lock const hold(target.mutex(), std::try_to_lock);
  if (!hold || target.is_full()) return false;
  bool const must_be_first =
      direct_dispatch_ == direct_dispatch::where_better && mode() != dispatch_mode::direct;
  if (must_be_first && !line.is_in_flight() && target.in_flight() != 0) return false;
  try {
    enqueue_directly(target, line, work, events);
  } catch (...) {
    line.fail(std::current_exception(), !is_sound());
    return true;
  }
  line.mark_issued(place, 1);
  target.mark_issued();
  if (asleep_without_timeout_.load(std::memory_order_seq_cst)) wake_event_.notify();
  return true;
}

void dispatcher::enqueue_directly(dispatch_stream& target, launch_stream_state& line, submission& work,
                                  completion_events const& events) {
  auto& next = target.next();
  next.clear();
  next.members.assign(1, {&line, 1, false});
  next.reports_end = next.is_timed = work.kernel() != nullptr;
  next.needs_end_only_if_watched = true;
  for (auto const& before : events) target.on().wait_for(*before);
  enqueue_alone(target, work);
  count(1);
  counts_.direct.fetch_add(1, std::memory_order_relaxed);
  kernels_in_flight_.fetch_add(1, std::memory_order_relaxed);
}

/// Where the line's launches are, else its own; another one, if that is free of launches, where the order
/// asks for no certain stream.
std::uint32_t dispatcher::stream_for(launch_stream_state const& line) const {
  auto const streams = std::uint32_t(dispatch_streams_.size());
  auto const own = line.number() % streams;
  if (line.is_in_flight()) return line.stream_index();
  if (direct_dispatch_ == direct_dispatch::always) return own;
  for (std::uint32_t i = 0; i < streams; ++i)
    if (launches_in_flight_[(own + i) % streams].load(std::memory_order_relaxed) == 0)
      return (own + i) % streams;
  return own;
}

bool dispatcher::is_sound() {
  try {
    device_->check();
    return true;
  } catch (...) { return false; }
}

bool dispatcher::may_issue_directly(launch_stream_state const& line, submission const& work) const {
  if (direct_dispatch_ == direct_dispatch::never) return false;
  if (line.submitted() != line.issued() || paused_.load(std::memory_order_seq_cst)) return false;
  if (closed_.load(std::memory_order_relaxed) || stopped_because_.load(std::memory_order_seq_cst) != nullptr)
    return false;
  if (line.is_in_flight() && line.is_in_graph()) return false;
  if (work.has_dependencies() && !can_wait_on_device(work)) return false;
  if (direct_dispatch_ == direct_dispatch::always || mode() == dispatch_mode::direct) return true;
  return is_alone(line);
}

/// Where hardware queues are shared, launches behind each other may be in front of who comes next.
bool dispatcher::is_alone(launch_stream_state const& line) const {
  auto const own = connections_ < dispatch_streams_.size() ? 0 : line.issued() - line.finished();
  return kernels_in_flight_.load(std::memory_order_relaxed) == own &&
         !anyone_waits_.load(std::memory_order_relaxed) && inbox_.load(std::memory_order_relaxed) == nullptr;
}

/// Tells the selector of modes how much has ended, and in how long.
void dispatcher::update_mode() {
  auto const now = clock::now();
  auto const outstanding = kernels_in_flight_.load(std::memory_order_relaxed) + plan_.offers();
  mode_selector_.record(ended_since_update_,
                        was_busy_ ? std::chrono::nanoseconds(now - polled_at_).count() : 0, outstanding);
  mode_.store(mode_selector_.now(), std::memory_order_relaxed);
  ended_since_update_ = 0;
  polled_at_ = now;
  bool const may_issue = !paused_.load(std::memory_order_relaxed);
  was_busy_ = kernels_in_flight_.load(std::memory_order_relaxed) != 0 ||
              (may_issue && (plan_.offers() != 0 || planned_ != nullptr));
}

}  // namespace ballast::detail

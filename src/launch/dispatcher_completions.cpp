// SPDX-License-Identifier: Apache-2.0
// How the dispatcher's thread learns that launches have ended.
#include <algorithm>

#include "dispatcher.hpp"

namespace ballast::detail {
namespace {

// An event is asked by a call of CUDA that costs as much as a tenth of a launch.
constexpr int max_events_queried = 4, max_events_recorded = 4;
// While launch streams issue themselves and do not wait, ends only make room.
constexpr std::chrono::nanoseconds between_unawaited_events = std::chrono::milliseconds(1);

}  // namespace

bool dispatcher::poll_completions() {
  bool found = false;
  int events = 0;
  for (std::size_t i = 0; i < dispatch_streams_.size(); ++i) {
    auto& target = dispatch_streams_[(first_polled_ + i) % dispatch_streams_.size()];
    if (launches_in_flight_[(first_polled_ + i) % dispatch_streams_.size()].load(std::memory_order_relaxed) ==
        0)
      continue;
    if (target.is_known_by_event() && ++events > max_events_queried) {
      first_polled_ += i;
      break;
    }
    found |= poll_stream(target);
  }
  if (!completed_.empty()) notify_completed();
  return found;
}

/// A line may have been noted more than once.
void dispatcher::notify_completed() {
  fence_->pass();
  for (auto* const line : completed_) line->notify_watchers();
  std::erase_if(completed_, [](launch_stream_state const* line) { return !line->leaving; });
  std::ranges::sort(completed_);
  completed_.erase(std::unique(completed_.begin(), completed_.end()), completed_.end());
  for (auto* const line : completed_) forget_if_left(*line);
  completed_.clear();
}

bool dispatcher::poll_stream(dispatch_stream& target) {
  bool found = false;
  while (auto* const ended = target.ended()) {
    complete_launch(target, *ended);
    target.mark_ended();
    found = true;
  }
  return poll_kernel_ends(target) || found;
}

void dispatcher::complete_launch(dispatch_stream& target, launch_in_flight const& ended) {
  learn(target, ended);
  for (auto const& member : ended.members)
    if (!member.has_ended) complete_member(member);
}

/// Kernels of a merged launch end before it; what follows them may begin elsewhere. Those that go on in its
/// chain have ended with the last.
bool dispatcher::poll_kernel_ends(dispatch_stream& target) {
  auto* const merged = target.oldest_reporting_each();
  if (merged == nullptr) return false;
  bool found = false;
  std::uint32_t place = 0;
  for (auto& member : merged->members) {
    if (!member.has_ended && target.has_kernel_ended(place)) {
      member.has_ended = found = true;
      complete_member(member);
    }
    place += member.launches;
  }
  return found;
}

void dispatcher::complete_member(launch_in_flight::member const& member) {
  member.line->mark_finished(member.launches);
  ended_since_update_ += member.launches;
  kernels_in_flight_.fetch_sub(member.launches, std::memory_order_relaxed);
  if (may_change_stream(*member.line)) plan_.predecessor_finished(member.line->number());
  completed_.push_back(member.line);
}

void dispatcher::learn(dispatch_stream const& target, launch_in_flight const& ended) {
  auto const span = target.span_ns_of_ended();
  if (ended.is_measured) plain_times_.record(span);
  if (span <= 0) return;
  table_.learn(ended.facts, ended.predicted, span);
  // Beside others each launch takes longer, merged or not.
  bool const was_alone = ended.alone_as == counts_.launches.load(std::memory_order_relaxed);
  if (was_alone && ended.predicted.merged_busy > 0) plan_.filter().record(ended.facts, ended.predicted, span);
}

/// Launches that do not tell their end get an event behind them: but once for all that were issued together,
/// and those whose end nobody waits for now and then, since an event costs as much as a part of a launch.
bool dispatcher::record_events() {
  int given = 0;
  for (auto& target : dispatch_streams_) {
    if (!needs_event(target)) continue;
    std::lock_guard const hold(target.mutex());
    target.record_event();
    if (++given == max_events_recorded) return true;
  }
  if (given == 0 && clock::now() - events_recorded_at_ > between_unawaited_events)
    events_recorded_at_ = clock::now();
  return given != 0;
}

bool dispatcher::needs_event(dispatch_stream const& target) const {
  auto const* const newest = target.newest();
  if (newest == nullptr || newest->reports_end || newest->end_event != nullptr) return false;
  if (!newest->needs_end_only_if_watched || target.in_flight() > dispatch_stream::max_in_flight / 2)
    return true;
  if (newest->members.front().line->is_watched()) return true;
  return clock::now() - events_recorded_at_ > between_unawaited_events;
}

}  // namespace ballast::detail

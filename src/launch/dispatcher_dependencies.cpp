// SPDX-License-Identifier: Apache-2.0
// How launches come after those of other launch streams without the host waiting for these.
#include <algorithm>

#include "dispatcher.hpp"

namespace ballast::detail {

/// A line of a queue that is gone may name a dispatcher that was where this one is.
bool dispatcher::is_issued_here(launch_ticket const& ticket) const {
  return ticket.state_->fence() == fence_.get() && ticket.is_issued();
}

/// Whether nothing that comes before `work` is still to be issued, so that its stream can wait for it. Where
/// hardware queues are few, all that shares one with that stream would wait as well.
bool dispatcher::can_wait_on_device(submission const& work) const {
  if (!waits_on_device_) return false;
  try {
    return std::ranges::all_of(work.dependencies(), [&](dependency const& one) {
      return one.is_met() || (one.moment == nullptr && is_issued_here(one.launch));
    });
  } catch (...) { return false; }  // it cannot be met: the thread will tell whose launch it is
}

/// Behind what comes before `work` and is in flight on other streams than that of `own`.
void dispatcher::record_events_before(submission const& work, dispatch_stream const& own,
                                      completion_events& events) {
  for (auto const& one : work.dependencies()) {
    if (one.is_met()) continue;
    auto& target = dispatch_streams_[one.launch.state_->stream_index()];
    if (&target == &own) continue;
    std::lock_guard const hold(target.mutex());
    events.push_back(target.on().record_untimed());
  }
}

dispatcher::completion_events dispatcher::events_before(planned_launch const& planned, std::uint32_t place) {
  completion_events events;
  for (auto const launch_stream : planned.launch_streams)
    record_events_before(*launch_stream_of(launch_stream).chain().front(), dispatch_streams_[place], events);
  return events;
}

/// Behind what the oldest launch of the line may be issued now; nothing if it may not. Throws what made a
/// dependency impossible.
std::optional<dispatcher::predecessor_stream> dispatcher::find_predecessor_stream(
    launch_stream_state const& line, submission const& oldest) const {
  auto const behind_own = line.is_in_flight() ? predecessor_stream(line.stream_index()) : std::nullopt;
  if (oldest.dependencies_met()) return behind_own;
  if (follows_others_)
    if (auto const place = common_predecessor_stream(line, oldest)) return place;
  if (mode() != dispatch_mode::merged && can_wait_on_device(oldest)) return behind_own;
  return std::nullopt;
}

/// The one stream where all is that is in flight and comes before the launch: its stream keeps the order.
std::optional<dispatcher::predecessor_stream> dispatcher::common_predecessor_stream(
    launch_stream_state const& line, submission const& oldest) const {
  predecessor_stream behind;
  if (line.is_in_flight()) behind = line.stream_index();
  for (auto const& one : oldest.dependencies()) {
    if (one.is_met()) continue;
    if (one.moment != nullptr || !is_issued_here(one.launch)) return std::nullopt;
    auto const place = one.launch.state_->stream_index();
    if (behind && *behind != place) return std::nullopt;
    behind = place;
  }
  return behind;
}

/// Whether nothing is in flight any more that the line's oldest launch comes behind.
bool dispatcher::may_change_stream(launch_stream_state& line) const {
  if (line.is_in_flight()) return false;
  auto const* const oldest = line.chain().front();
  try {
    return oldest == nullptr || oldest->dependencies_met();
  } catch (...) { return false; }  // the device is lost
}

}  // namespace ballast::detail

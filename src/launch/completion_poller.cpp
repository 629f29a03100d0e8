// SPDX-License-Identifier: Apache-2.0
#include "completion_poller.hpp"

#include <chrono>
#include <limits>
#include <mutex>

#include "launch_placement.hpp"

namespace ballast::detail {

// Querying an event is a CUDA call that costs a tenth of a launch.
constexpr int max_events_queried = 4, max_events_recorded = 4;
// The interval while launch streams issue launches themselves and do not wait: completions then only free
// capacity.
constexpr std::chrono::nanoseconds between_unawaited_events = std::chrono::milliseconds(1);

completion_poller::completion_poller(dispatch_streams& streams, ordered_rings* rings, launch_plan& plan,
                                     kernel_table& table, issue_counts& counts, trace_target const& trace_to)
    : streams_(streams),
      rings_(rings),
      plan_(plan),
      table_(table),
      counts_(counts),
      trace_(trace_to, streams.size() + (rings == nullptr ? 0 : max_rings)) {}

bool completion_poller::poll() {
  bool found = poll_rings();
  int events = 0;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    auto const place = std::uint32_t((first_polled_ + i) % streams_.size());
    if (streams_.in_flight(place) == 0) continue;
    if (streams_[place].is_known_by_event() && ++events > max_events_queried) {
      first_polled_ += i;
      break;
    }
    found |= poll_stream(place);
  }
  return found;
}

bool completion_poller::poll_rings() {
  if (rings_ == nullptr) return false;
  return rings_->poll([this](ordered_ring const& ring, std::uint32_t launches) {
    if (trace_) trace_ended(ring, launches);
    if (!ring.is_awaited.load(std::memory_order_relaxed)) ended_ += launches;
    finish(*ring.line, launches);
  });
}

bool completion_poller::poll_stream(std::uint32_t place) {
  auto& target = streams_[place];
  bool found = false;
  for (auto left = trace_ended(place); left > 0; --left) {
    auto* const ended = target.ended();
    if (ended == nullptr) break;
    complete_launch(target, *ended);
    target.mark_ended();
    found = true;
  }
  return poll_kernel_ends(target) || found;
}

/// Records the launches that are seen to have ended; called before their completions are ready. Returns how
/// many may now be reported as ended.
std::size_t completion_poller::trace_ended(std::uint32_t place) {
  if (!trace_) return std::numeric_limits<std::size_t>::max();
  ended_launches_.clear();
  streams_[place].list_ended(ended_launches_);
  trace_.record(place, ended_launches_);
  return ended_launches_.size();
}

void completion_poller::trace_ended(ordered_ring const& ring, std::uint32_t launches) {
  ended_launches_.clear();
  auto const first = ring.noted.load(std::memory_order_relaxed);
  for (std::uint64_t i = 0; i < launches; ++i)
    ended_launches_.push_back(ring.content[(first + i) % ring_slots]);
  trace_.record(streams_.size() + ring.number, ended_launches_);
}

void completion_poller::complete_launch(dispatch_stream& target, launch_in_flight const& ended) {
  learn(target, ended);
  for (auto const& member : ended.members)
    if (!member.has_ended) complete_member(member);
}

/// Completes the kernels of a merged launch that end before it, since launches after them may begin
/// elsewhere. True if there was one. Kernels that continue in its chain have ended with the last one.
bool completion_poller::poll_kernel_ends(dispatch_stream& target) {
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

void completion_poller::complete_member(launch_in_flight::member const& member) {
  finish(*member.line, member.launches);
  ended_ += member.launches;
  counts_.remove_in_flight(member.launches);
}

void completion_poller::finish(launch_stream_state& line, std::uint32_t launches) {
  line.mark_finished(launches);
  if (launch_placement::may_change_stream(line)) plan_.predecessor_finished(line.number());
  completed_.push_back(&line);
}

void completion_poller::learn(dispatch_stream const& target, launch_in_flight const& ended) {
  auto const span = target.span_ns_of_ended();
  if (ended.is_measured) table_.plain().record(span);
  if (span <= 0) return;
  if (ended.reports_each && !ended.facts.empty()) learn_ends(target, ended);
  table_.learn(ended.facts, ended.predicted, span);
  if (rings_ != nullptr) tell_rings(ended, span);
  // Each launch takes longer beside others, merged or not: it counts here only without others.
  bool const was_alone = ended.alone_as == counts_.launches() && (rings_ == nullptr || !rings_->is_running());
  if (was_alone && ended.predicted.merged_busy > 0) plan_.filter().record(ended.facts, ended.predicted, span);
}

void completion_poller::tell_rings(launch_in_flight const& ended, std::int64_t span_ns) {
  if (ended.lone != nullptr) return rings_->note_span(ended.lone->family, ended.lone->index, span_ns);
  for (auto const& one : ended.facts)
    rings_->note_block(one.family, one.kernel, table_.block_ns(one.family, one.kernel));
}

void completion_poller::learn_ends(dispatch_stream const& target, launch_in_flight const& ended) {
  kernel_spans_.clear();
  for (std::uint32_t place = 0; place < ended.facts.size(); ++place)
    kernel_spans_.push_back(target.span_ns_of_kernel(place));
  table_.learn_ends(ended.facts, kernel_spans_);
}

/// Records an event after launches that do not report their end: one for all that were issued together, and
/// only now and then if nothing waits for their end, since an event costs as much as part of a launch.
bool completion_poller::record_events() {
  int given = 0;
  for (std::uint32_t place = 0; place < streams_.size(); ++place) {
    auto& target = streams_[place];
    if (!needs_event(target)) continue;
    std::lock_guard const hold(target.mutex());
    target.record_event();
    if (++given == max_events_recorded) return true;
  }
  if (given == 0 && clock::now() - events_recorded_at_ > between_unawaited_events)
    events_recorded_at_ = clock::now();
  return given != 0;
}

bool completion_poller::needs_event(dispatch_stream const& target) const {
  auto const* const newest = target.newest();
  if (newest == nullptr || newest->reports_end || newest->end_event != nullptr) return false;
  if (!newest->needs_end_only_if_watched || target.in_flight() > dispatch_stream::max_in_flight / 2)
    return true;
  if (newest->members.front().line->is_watched()) return true;
  return clock::now() - events_recorded_at_ > between_unawaited_events;
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "launch_placement.hpp"

#include <algorithm>

namespace ballast::detail {

/// True if the launch was issued on a stream of this dispatcher, and not into a ring, for which no stream can
/// wait. Compares fences, since a launch stream of a destroyed queue may name a dispatcher that lived at this
/// one's address. A launch stream moves between rings and streams only while it has nothing in flight.
bool launch_placement::is_issued_here(dependency const& one) const {
  return one.launch_stream->fence() == here_ && one.launch_stream->issued() >= one.number &&
         !one.launch_stream->is_in_ring();
}

/// If hardware queues are few, all launches that share one with that stream would wait as well.
bool launch_placement::can_wait_on_device(submission const& work) const {
  if (!allowed_.waits_on_device) return false;
  try {
    return std::ranges::all_of(work.dependencies(), [&](dependency const& one) {
      return one.is_met() || (one.moment == nullptr && is_issued_here(one));
    });
  } catch (...) { return false; }  // it can never be met: the dispatcher's thread will fail the launch stream
}

std::optional<predecessor_stream> launch_placement::find_predecessor(launch_stream_state const& line,
                                                                     submission const& oldest,
                                                                     bool merges) const {
  if (line.is_in_flight() && line.is_in_ring()) return std::nullopt;
  auto const behind_own = line.is_in_flight() ? predecessor_stream(line.stream_index()) : std::nullopt;
  if (oldest.dependencies_met()) return behind_own;
  if (allowed_.follows_others)
    if (auto const place = common_predecessor(line, oldest)) return place;
  if (!merges && can_wait_on_device(oldest)) return behind_own;
  return std::nullopt;
}

/// The one stream that contains all predecessors of the launch that are in flight: a stream keeps the order.
std::optional<predecessor_stream> launch_placement::common_predecessor(launch_stream_state const& line,
                                                                       submission const& oldest) const {
  predecessor_stream behind;
  if (line.is_in_flight()) behind = line.stream_index();
  for (auto const& one : oldest.dependencies()) {
    if (one.is_met()) continue;
    if (one.moment != nullptr || !is_issued_here(one)) return std::nullopt;
    auto const place = one.launch_stream->stream_index();
    if (place == launch_stream_state::in_ring)
      return std::nullopt;  // moved to a ring since: the awaited launch has ended
    if (behind && *behind != place) return std::nullopt;
    behind = place;
  }
  return behind;
}

bool launch_placement::may_change_stream(launch_stream_state& line) {
  if (line.is_in_flight()) return false;
  auto const* const oldest = line.chain().front();
  try {
    return oldest == nullptr || oldest->dependencies_met();
  } catch (...) { return false; }  // the device is lost
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch_stream.hpp"
#include "kernel_table.hpp"
#include "launch_issuer.hpp"
#include "launch_plan.hpp"
#include "ordered_rings.hpp"

namespace ballast::detail {

/// Detects which launches in flight have ended, and updates their launch streams, the plan, the trace and the
/// learned times. Only the dispatcher's thread uses it.
class completion_poller {
 public:
  /// All arguments live as long as this; the rings may be null.
  completion_poller(dispatch_streams& streams, ordered_rings* rings, launch_plan& plan, kernel_table& table,
                    issue_counts& counts, trace_target const& trace_to);

  /// Checks the streams and rings, and queries a few events, whose streams take turns. Returns whether
  /// anything has ended. Throws device_lost.
  bool poll();
  /// Records an event in a few streams after their launches in flight, if their end could not be seen
  /// otherwise. Returns whether it recorded any. Throws device_lost.
  bool record_events();

  /// The launch streams whose launches have ended since this was cleared; may contain duplicates.
  std::vector<launch_stream_state*>& completed() { return completed_; }
  /// The number of kernels that have ended since the last call, except those in rings that threads waited for
  /// one by one.
  std::uint64_t take_ended() { return std::exchange(ended_, 0); }

 private:
  bool poll_rings();
  bool poll_stream(std::uint32_t place);
  std::size_t trace_ended(std::uint32_t place);
  void trace_ended(ordered_ring const& ring, std::uint32_t launches);
  void complete_launch(dispatch_stream& target, launch_in_flight const& ended);
  bool poll_kernel_ends(dispatch_stream& target);
  void complete_member(launch_in_flight::member const& member);
  void finish(launch_stream_state& line, std::uint32_t launches);
  void learn(dispatch_stream const& target, launch_in_flight const& ended);
  void tell_rings(launch_in_flight const& ended, std::int64_t span_ns);
  void learn_ends(dispatch_stream const& target, launch_in_flight const& ended);
  bool needs_event(dispatch_stream const& target) const;

  dispatch_streams& streams_;
  ordered_rings* rings_;
  launch_plan& plan_;
  kernel_table& table_;
  issue_counts& counts_;
  launch_trace trace_;
  std::vector<ended_launch> ended_launches_;  // to be traced
  std::vector<std::int64_t> kernel_spans_;    // of a launch
  std::vector<launch_stream_state*> completed_;
  std::uint64_t ended_ = 0;
  std::size_t first_polled_ = 0;
  clock::time_point events_recorded_at_;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "dispatch_mode.hpp"
#include "launch_stream.hpp"

namespace ballast::detail {

/// The stream of the work that a launch must follow, if that is in flight.
using predecessor_stream = std::optional<std::uint32_t>;

/// Derives from a launch's dependencies when and where it may be issued. Looks at launch streams only; no
/// device, no clock. Any thread.
class launch_placement {
 public:
  struct rules {
    bool waits_on_device = false;  ///< streams may wait for each other's launches
    bool follows_others = false;   ///< a launch may go behind those of another launch stream
  };

  /// `here`: the fence of the lines whose launches are issued here.
  launch_placement(watch_fence const& here, rules const& allowed) : here_(&here), allowed_(allowed) {}

  /// True if everything that precedes `work` was issued, so that its stream can wait for it.
  bool can_wait_on_device(submission const& work) const;
  /// Behind what the oldest launch of the line may be issued now; nothing if it may not. Throws what made a
  /// dependency impossible.
  std::optional<predecessor_stream> find_predecessor(launch_stream_state const& line,
                                                     submission const& oldest, dispatch_mode mode) const;
  /// True if no predecessor of the launch stream's oldest launch is in flight any more.
  static bool may_change_stream(launch_stream_state& line);

 private:
  bool is_issued_here(dependency const& one) const;
  std::optional<predecessor_stream> common_predecessor(launch_stream_state const& line,
                                                       submission const& oldest) const;

  watch_fence const* here_;
  rules allowed_;
};

}  // namespace ballast::detail

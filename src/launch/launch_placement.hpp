// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "launch_stream.hpp"

namespace ballast::detail {

/// The stream of the work that a launch must follow, if that is in flight.
using predecessor_stream = std::optional<std::uint32_t>;

/// Derives from a launch's dependencies when and where it may be issued. Reads only launch streams; no
/// device, no clock. Any thread.
class launch_placement {
 public:
  struct rules {
    bool waits_on_device = false;  ///< streams may wait for each other's launches
    bool follows_others = false;   ///< a launch may follow another launch stream's launches on their stream
  };

  /// `here`: the fence of the launch streams whose launches are issued here.
  launch_placement(watch_fence const& here, rules const& allowed) : here_(&here), allowed_(allowed) {}

  /// True if all predecessors of `work` were issued, so that its stream can wait for them.
  bool can_wait_on_device(submission const& work) const;
  /// The stream of the predecessor after which the launch stream's oldest launch may be issued now; nothing
  /// if it may not. `merges`: it may become a part of a merged launch, whose stream waits for nothing. Throws
  /// the error that made a dependency impossible.
  std::optional<predecessor_stream> find_predecessor(launch_stream_state const& line,
                                                     submission const& oldest, bool merges) const;
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

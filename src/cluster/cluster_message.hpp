// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ballast/policy/share.hpp"
#include "task_range.hpp"

namespace ballast::detail {

/// What ranks say to each other.
struct cluster_message {
  enum class kind : std::uint8_t {
    ask,       ///< for tasks, with the `state` of who asks
    give,      ///< `ranges`
    decline,   ///< tells a rank that asked that there is nothing now
    withdraw,  ///< tells a rank that declined that nothing is needed any more
    done,      ///< to their origin: `ranges` were executed
    returned,  ///< to their origin: `ranges` will not be executed
    perhaps,  ///< to their origin: `ranges` were executed, but some of what they created was lost with a rank
    stop,     ///< all are to stop
    finished,  ///< to the coordinator: all tasks of the sender have ended, and it will submit no more
    end,       ///< from the coordinator: no rank has a task any more
    lost,      ///< ranks[0] is lost; the sender hears it no more, and gives nothing until its census
    census,    ///< to each origin: `ranges` are what the sender has of it, now that `ranks` are lost
  };

  kind what = kind::ask;
  share_state state = {};
  std::vector<task_range> ranges = {};
  std::vector<std::uint32_t> ranks = {};
  bool has_more = false;  ///< of a census: the rest follows in another message
  std::string why = {};   ///< of a loss, as far as it is known

  /// As of range_backlog.
  template <class Note>
  void note_state(Note&& note) const {
    note(what, state.backlog, ranges, ranks, has_more);
  }
};

struct outgoing_message {
  std::uint32_t to = 0;
  cluster_message message;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
    done,      ///< to their origin: `ranges` were executed
    returned,  ///< to their origin: `ranges` will not be executed
    stop,      ///< all are to stop
    finished,  ///< to the coordinator: all tasks of the sender have ended, and it will submit no more
    end,       ///< from the coordinator: no rank has a task
    quiet,     ///< to the coordinator: `sent` and `received` messages so far, answers are all that may follow
    bye,       ///< from the coordinator: no other message is under way; and back: this is the last one
    lost,      ///< ranks[0] is lost; the sender hears it no more, and gives nothing until its census
    census,    ///< to each origin: `ranges` are what the sender has of it, now that `ranks` are lost
    alive,     ///< nothing else was to be said
  };

  kind what = kind::alive;
  share_state state = {};
  std::vector<task_range> ranges = {};
  std::vector<std::uint32_t> ranks = {};
  std::uint64_t sent = 0, received = 0;
  bool has_more = false;  ///< of a census: the rest follows in another message

  /// As of range_backlog.
  template <class Note>
  void note_state(Note&& note) const {
    note(what, state.backlog, ranges, ranks, sent, received, has_more);
  }
};

struct outgoing_message {
  std::uint32_t to = 0;
  cluster_message message;
};

}  // namespace ballast::detail

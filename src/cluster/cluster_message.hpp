// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ballast/detail/cluster/share_policy.hpp"
#include "task_range.hpp"

namespace ballast::detail {

/// A message between ranks.
struct cluster_message {
  enum class kind : std::uint8_t {
    ask,       ///< asks for tasks, with the asker's `state`
    give,      ///< gives the tasks of `ranges`
    decline,   ///< answers a rank that asked: no tasks now
    withdraw,  ///< to a rank that declined or gave: no tasks are needed any more
    done,      ///< to the origin of `ranges`: they were executed
    returned,  ///< to the origin of `ranges`: they will not be executed
    perhaps,   ///< to the origin of `ranges`: they were executed, but some tasks that they created were lost
               ///< with a rank
    stop,      ///< all ranks are to stop
    finished,  ///< to the coordinator: all tasks of the sender have ended, and it will submit no more
    end,       ///< from the coordinator: no rank has a task any more
    lost,      ///< ranks[0] is lost: the sender ignores it, and gives no tasks until its census
    census,    ///< to each origin: `ranges` are all of its tasks that the sender holds, now that `ranks` are
               ///< lost
  };

  kind what = kind::ask;
  share_state state = {};
  std::vector<task_range> ranges = {};
  std::vector<std::uint32_t> ranks = {};
  bool has_more = false;  ///< the rest of a census follows in another message
  std::string why = {};   ///< the cause of a loss, if it is known

  /// Like range_backlog::note_state().
  void note_state(auto&& note) const { note(what, state.backlog, ranges, ranks, has_more); }
};

struct outgoing_message {
  std::uint32_t to = 0;
  cluster_message message;
};

/// The shortest time so far between a rank's question and its answer.
class round_trip {
 public:
  void note_sent(std::uint32_t to, cluster_message::kind what, std::int64_t now_ns) {
    if (what == cluster_message::kind::ask) asked_ns_[to] = now_ns;
  }
  void note_received(std::uint32_t from, cluster_message::kind what, std::int64_t now_ns) {
    if (what != cluster_message::kind::give && what != cluster_message::kind::decline) return;
    auto const asked = asked_ns_.extract(from);  // a gift may follow the answer, or come without a question
    if (asked.empty()) return;
    auto const took_ns = now_ns - asked.mapped();
    least_ns_ = std::min(least_ns_.value_or(took_ns), took_ns);
  }
  /// The shortest time; a guess until the first answer has come.
  std::int64_t ns() const { return least_ns_.value_or(20'000); }

 private:
  std::map<std::uint32_t, std::int64_t> asked_ns_;  ///< when each rank was asked; removed once it has
                                                    ///< answered
  std::optional<std::int64_t> least_ns_;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {

/// The position of a share_policy: its rank, the number of ranks, and the ranks on its host.
struct share_place {
  std::uint32_t rank = 0;   ///< less than `ranks`
  std::uint32_t ranks = 1;  ///< of the whole cluster
  /// The ranks of the same host, including its own, are `host_first` to `host_first + host_ranks - 1`.
  std::uint32_t host_first = 0, host_ranks = 1;  ///< at least 1
  std::uint64_t seed = 0;  ///< for victims that are chosen at random; ranks may share a seed
};

/// The state that a rank reports when it asks for tasks.
struct share_state {
  std::uint64_t backlog = 0;  ///< tasks that were not given to a device of the rank
  std::uint64_t running = 0;  ///< tasks on its devices
  std::uint32_t workers = 1;  ///< of all its devices, at least 1
  double tasks_per_ns = 0;    ///< measured rate of execution; 0 if unknown
};

/// A rank's knowledge when it decides.
struct share_view {
  std::int64_t now_ns = 0;           ///< on the rank's clock
  share_state own = {};              ///< of the rank itself
  std::int64_t round_trip_ns = 0;    ///< measured time of a small message to another rank and back
  std::uint32_t messages = 1;        ///< messages that may carry tasks before the next call
  std::uint32_t piece_tasks = 1365;  ///< the most tasks of a message, at least 1
  /// True if its tasks have created enough tasks for nearly every worker: it needs neither its backlog nor
  /// further tasks.
  bool has_created = false;
};

/// A message that the rank must send.
struct share_action {
  /// The kind of a message.
  enum class kind : std::uint8_t {
    ask,      ///< for tasks
    give,     ///< `tasks` of the backlog
    decline,  ///< answers a rank that asked: no tasks now
    withdraw  ///< to a rank that declined or gave: this rank needs no more tasks
  };
  kind what = kind::ask;    ///< decides the meaning of the other members
  std::uint32_t rank = 0;   ///< the receiver
  std::uint64_t tasks = 0;  ///< tasks to give: 1 to share_view::piece_tasks
};

/// The actions of a rank now.
struct share_decision {
  /// Carried out in this order. Together they give at most the backlog, in at most share_view::messages
  /// messages.
  std::vector<share_action> actions;
  /// The number of workers on ranks that asked for tasks and get none now, at most half as many as this
  /// rank's workers. If tasks create tasks, this rank fetches created tasks for those workers from its
  /// devices.
  std::uint64_t wanting = 0;
  /// The time of the next decision if nothing happens before.
  std::int64_t look_again_ns = (std::numeric_limits<std::int64_t>::max)();
};

/// Decides how tasks move between the ranks of a cluster: work moves to ranks that ask for it. One instance
/// per rank, one thread at a time. It keeps state, but has no clock, no messages and no randomness of its
/// own: the same calls give the same decisions. Ask it again whenever something has changed. Its members are
/// called only with other ranks of its share_place.
class BALLAST_API share_policy {
 public:
  virtual ~share_policy() = default;

  /// Records that a rank asks for tasks. That rank must get some or be declined.
  virtual void asked(std::uint32_t by, share_state const& state) = 0;
  /// Records that tasks came from a rank; they are in the backlog of the next view.
  virtual void received(std::uint32_t from) = 0;
  /// Records that a rank that was asked has no tasks now.
  virtual void declined(std::uint32_t by) = 0;
  /// Records that a rank that was declined or given tasks needs none any more.
  virtual void withdrawn(std::uint32_t) {}
  /// Records that a rank is lost: it is neither asked nor given anything any more.
  virtual void lost(std::uint32_t rank) = 0;
  /// Decides which messages to send now. Does not wait.
  virtual share_decision decide(share_view const& view) = 0;
};

/// Makes the policy of this name for a rank. Throws bad_argument ("policy"), which lists the names, and
/// ("rank", "ranks", "host_ranks") if the place does not exist.
BALLAST_API std::unique_ptr<share_policy> make_share_policy(std::string_view name, share_place const& place);

}  // namespace ballast::detail

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

/// Where a share_policy decides: which rank, of how many, and which of them are on its host.
struct share_place {
  std::uint32_t rank = 0;   ///< less than `ranks`
  std::uint32_t ranks = 1;  ///< of the whole cluster
  /// The ranks of the same host, itself among them, are `host_first` to `host_first + host_ranks - 1`.
  std::uint32_t host_first = 0, host_ranks = 1;  ///< at least 1
  std::uint64_t seed = 0;  ///< for victims that are chosen at random; ranks may have the same
};

/// The state that a rank reports when it asks for tasks.
struct share_state {
  std::uint64_t backlog = 0;  ///< tasks that no device of the rank was given
  std::uint64_t running = 0;  ///< tasks that its devices have
  std::uint32_t workers = 1;  ///< of all its devices, at least 1
  double tasks_per_ns = 0;    ///< how fast they were seen to execute them; 0 if that is not known
};

/// What a rank knows when it decides.
struct share_view {
  std::int64_t now_ns = 0;           ///< on the rank's clock
  share_state own = {};              ///< of the rank itself
  std::int64_t round_trip_ns = 0;    ///< of a small message to another rank and back, as measured
  std::uint32_t messages = 1;        ///< that may carry tasks before the next call
  std::uint32_t piece_tasks = 1365;  ///< the most tasks of a message, at least 1
  /// Its tasks have created enough for nearly every worker: it needs none of its backlog, and no more tasks.
  bool has_created = false;
};

/// A message that the rank is to send.
struct share_action {
  /// What it is.
  enum class kind : std::uint8_t {
    ask,      ///< for tasks
    give,     ///< `tasks` of the backlog
    decline,  ///< answers a rank that asked: there is nothing now
    withdraw  ///< to a rank that declined or gave: nothing is needed any more
  };
  kind what = kind::ask;    ///< decides what the others mean
  std::uint32_t rank = 0;   ///< the receiver
  std::uint64_t tasks = 0;  ///< tasks to give: 1 to share_view::piece_tasks
};

/// What a rank is to do now.
struct share_decision {
  /// Carried out in this order; they give at most the backlog in all, and are at most share_view::messages.
  std::vector<share_action> actions;
  /// Workers of ranks that asked for tasks and get none now, at most half as many as the rank has. If its
  /// tasks create tasks the rank fetches some for them from its devices.
  std::uint64_t wanting = 0;
  /// When to decide again, if nothing happens before.
  std::int64_t look_again_ns = (std::numeric_limits<std::int64_t>::max)();
};

/// Decides how tasks move between the ranks of a cluster: work moves to ranks that ask for it. One instance
/// per rank, one thread at a time. It keeps state, but has no clock, no messages and no randomness of its
/// own: the same calls give the same decisions. Ask it again whenever something has changed. The ranks passed
/// to it are the ranks of its share_place, without its own.
class BALLAST_API share_policy {
 public:
  virtual ~share_policy() = default;

  /// A rank asks for tasks. It will be given some or declined.
  virtual void asked(std::uint32_t by, share_state const& state) = 0;
  /// Tasks came from a rank; they are in the backlog of the next view.
  virtual void received(std::uint32_t from) = 0;
  /// A rank that was asked has nothing now.
  virtual void declined(std::uint32_t by) = 0;
  /// A rank that was declined or given tasks needs nothing any more.
  virtual void withdrawn(std::uint32_t) {}
  /// A rank is gone: it is neither asked nor given anything any more.
  virtual void lost(std::uint32_t rank) = 0;
  /// Decides which messages to send now. Does not wait.
  virtual share_decision decide(share_view const& view) = 0;
};

/// Makes the policy of this name for a rank. Throws bad_argument ("policy"), which lists the names, and
/// ("rank", "ranks", "host_ranks") if the place does not exist.
BALLAST_API std::unique_ptr<share_policy> make_share_policy(std::string_view name, share_place const& place);

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ballast/detail/cluster/share_policy.hpp"
#include "cluster_message.hpp"
#include "task_range.hpp"

namespace ballast::detail {

/// A batch that has ended: each of its tasks was executed, or is listed here.
struct ended_batch {
  std::uint64_t number = 0;
  std::shared_ptr<range_load> load;
  std::vector<number_set::range> returned;     ///< not executed, since the cluster was stopped
  std::vector<number_set::range> perhaps_run;  ///< held by a rank that was lost
};

/// The batches that were submitted on one rank, and the state of their tasks, wherever they are. Each task
/// ends once; a second end throws error.
class own_batches {
 public:
  explicit own_batches(std::uint32_t rank) : rank_(rank) {}

  /// Accepts a batch of at least one task; returns all of it for execution. `is_repeatable`: its tasks may be
  /// executed again if a rank is lost. `kind`: 0, or created_bit.
  task_range add(std::uint32_t tasks, std::shared_ptr<range_load> load, bool is_repeatable,
                 std::uint64_t kind = 0);
  void executed(task_range const& range) { settle(range, nullptr); }
  void returned(task_range const& range) { settle(range, &batch::returned); }
  /// Ends tasks that created others, some of which were on a rank when it was lost.
  void perhaps_run(task_range const& range) { settle(range, &batch::lost); }
  /// Examines the batches below `end`. `held` lists the tasks that living ranks hold. Tasks that have neither
  /// ended nor are listed were on a lost rank. Returns those to execute again; the others have ended.
  std::vector<task_range> lose_all_but(std::vector<task_range> const& held, std::uint64_t end);

  /// The number of the next batch.
  std::uint64_t end() const { return end_; }
  /// True if no submitted batch is open. Batches created here do not count: the submitted batches from which
  /// they stem wait for them, on whichever rank.
  bool empty() const { return open_.empty() || open_.begin()->first >= created_bit; }
  /// The number of tasks of submitted batches that have not ended.
  std::uint64_t unfinished() const;
  /// The load of an open batch; null for other batches.
  std::shared_ptr<range_load> load_of(std::uint64_t batch) const;
  /// Batches that were submitted and have ended since the last call.
  std::vector<ended_batch> take_ended();
  /// Like take_ended(), and also lists returned tasks of submitted batches that have not ended.
  std::vector<ended_batch> take_returned();
  /// Like take_ended(), for batches that were created.
  std::vector<ended_batch> take_ended_created();
  /// Like range_backlog::note_state().
  void note_state(auto&& note) const { note(end_, open_); }

 private:
  struct batch {
    std::uint32_t tasks = 0;
    bool is_repeatable = false;
    std::shared_ptr<range_load> load;
    number_set ended;
    std::vector<number_set::range> returned, lost;
    void note_state(auto&& note) const { note(tasks, ended, returned, lost); }
  };
  using listed = std::vector<number_set::range> batch::*;

  void settle(task_range const& range, listed list);
  void close_if_ended(std::map<std::uint64_t, batch>::iterator at);

  std::uint32_t rank_;
  std::uint64_t end_ = 0;
  std::map<std::uint64_t, batch> open_;
  std::vector<ended_batch> ended_, ended_created_;
};

/// Detects that no task is left on any rank. A rank whose own tasks have all ended, and which will submit no
/// more, notifies the coordinator, the first living rank. Once all have, the coordinator notifies all. Every
/// task belongs to the rank that submitted it, which sees its end. So messages need not be counted, as they
/// must be where tasks have no owner (Mattern 1987, "Algorithms for distributed termination detection").
class cluster_ending {
 public:
  cluster_ending(std::uint32_t rank, std::uint32_t ranks);

  void lose(std::uint32_t rank) { is_lost_[rank] = has_losses_ = true; }
  /// Handles the messages `finished` and `end`.
  void receive(std::uint32_t from, cluster_message const& message);
  /// Appends the messages that are due. `is_finished`: the rank's own tasks have ended and no more will come.
  void decide(bool is_finished, std::vector<outgoing_message>& out);
  bool is_over() const { return is_over_; }
  /// Like range_backlog::note_state().
  void note_state(auto&& note) const { note(is_lost_, told_, has_passed_on_, is_over_, finished_); }

 private:
  std::uint32_t coordinator() const;
  void send_all(cluster_message::kind what, std::vector<outgoing_message>& out) const;
  bool all_have_finished() const;

  std::uint32_t rank_;
  std::vector<bool> is_lost_;
  bool has_losses_ = false, has_passed_on_ = false, is_over_ = false;
  std::optional<std::uint32_t> told_;  ///< the coordinator that knows that this rank has finished
  std::vector<bool> finished_;         ///< each rank's state, as the coordinator knows it
};

/// Finds out which tasks a lost rank had, although no record of tasks' locations is kept: every living rank
/// reports the tasks that it holds, and the missing ones were on the lost rank. Tasks in transit between two
/// living ranks must not be missing. So each rank announces on every channel that it knows of the loss, and
/// gives no tasks from then on. It counts its tasks once all others have announced it too, since all earlier
/// gifts have arrived by then (the markers of Chandy and Lamport 1985). Costs nothing until a rank is lost,
/// then one message between any two ranks.
class loss_census {
 public:
  explicit loss_census(std::uint32_t rank, std::uint32_t ranks);

  /// Records that a rank is lost; false if that was known.
  bool lose(std::uint32_t rank);
  bool is_lost(std::uint32_t rank) const { return is_lost_[rank]; }
  std::vector<std::uint32_t> lost() const { return {lost_.begin(), lost_.end()}; }
  /// Records that `from` knows of the loss of `lost`.
  void heard(std::uint32_t from, std::uint32_t lost) { told_[from].insert(lost); }

  /// True if tasks must not leave the rank, since it has not reported its holdings.
  bool is_frozen() const { return counted_ < lost_.size(); }
  /// True if the rank must report its holdings now.
  bool is_due() const;
  /// Records that the rank has reported its holdings.
  void count() { counted_ = lost_.size(); }

  /// Adds the holdings that a rank, or this rank itself, reports of this rank's own tasks.
  void add(std::uint32_t from, cluster_message const& census);
  /// True, once after each loss, when all living ranks have reported their holdings; held() then returns
  /// them.
  bool is_complete();
  std::vector<task_range> held() const;
  /// Like range_backlog::note_state().
  void note_state(auto&& note) const { note(lost_, told_, counted_, completed_, holdings_); }

 private:
  struct holdings {
    std::vector<std::uint32_t> lost;  ///< the losses that the rank knew of
    std::vector<task_range> ranges;
    bool is_whole = false;
    void note_state(auto&& note) const { note(lost, ranges, is_whole); }
  };

  std::uint32_t rank_;
  std::vector<bool> is_lost_;
  std::set<std::uint32_t> lost_;
  std::vector<std::set<std::uint32_t>> told_;  ///< for each rank, the losses that it knows of
  std::size_t counted_ = 0;                    ///< losses when this rank last reported its holdings
  std::size_t completed_ = 0;                  ///< losses when the holdings of all ranks were last complete
  std::vector<holdings> holdings_;             ///< of each rank, as it last reported them
};

/// The decisions of one rank of a cluster about tasks and messages; it carries nothing out. It has no clock,
/// threads or messages of its own; the same calls give the same results. Call decide() whenever something has
/// changed.
class cluster_member {
 public:
  /// `policy` decides which rank to ask, and how much to give. A rank collects another rank's executed tasks
  /// for `done_interval_ns` before it reports them.
  cluster_member(std::uint32_t rank, std::uint32_t ranks, std::unique_ptr<share_policy> policy,
                 std::int64_t done_interval_ns);

  /// Accepts a batch of at least one task; returns its number. Not after close() or stop().
  std::uint64_t submit(std::uint32_t tasks, std::shared_ptr<range_load> load, bool is_repeatable);
  /// Declares that no more will be submitted here.
  void close() { is_closing_ = true; }
  /// Stops all ranks: no rank executes more tasks than its devices hold by now.
  void stop();
  /// True if close() or stop() was called, or another rank was stopped.
  bool is_closing() const { return is_closing_; }

  /// Handles a message that has come.
  void receive(std::uint32_t from, cluster_message message);
  /// Records that a rank does not answer. `why` is a sentence, or empty.
  void lose(std::uint32_t rank, std::string const& why = {});
  /// Records that this rank cannot continue and that the others are notified: from now on it takes and sends
  /// nothing.
  void leave() { is_given_up_ = true; }
  /// Returns, once each, the tasks submitted here that neither this rank's devices nor other ranks got, or
  /// that were returned. Called once this rank stops. Batches with tasks on other ranks do not end.
  std::vector<ended_batch> take_unexecuted();
  bool is_lost(std::uint32_t rank) const { return census_.is_lost(rank); }
  std::vector<std::uint32_t> lost() const { return census_.lost(); }
  /// Why ranks were lost, as text that begins with ": " and continues a message; empty if nothing is known.
  std::string why_lost() const;

  /// The first range that take() would return; null if there are none.
  task_range const* next() const { return backlog_.tasks() == 0 ? nullptr : &backlog_.ranges().front(); }
  /// Removes and returns tasks for the rank's devices, up to `max` of one range; no tasks if there are none.
  task_range take(std::uint32_t max);
  /// Records that tasks from take() were executed. `range.load` has their results. The tasks end once all
  /// tasks that they created, as passed to created(), have ended.
  void executed(task_range const& range);
  /// Records that `creator`, a task from take(), created `tasks` tasks that left their device. Call it before
  /// executed(). The created tasks form a batch of this rank, whichever rank executes them. With `stays` only
  /// this rank may execute them: they are with its devices when this returns. Returns the batch; it has no
  /// tasks if the creator's origin is lost or this rank was given up, since then no rank waits for them.
  task_range created(task_range const& creator, std::uint32_t tasks, std::shared_ptr<range_load> load,
                     bool is_repeatable, bool stays = false);

  /// The messages to send now.
  struct decision {
    std::vector<outgoing_message> messages;  ///< in this order
    std::int64_t look_again_ns = std::numeric_limits<std::int64_t>::max();
    std::uint64_t wanting = 0;  ///< as in share_decision; 0 if nothing may leave the rank
  };
  /// Decides which messages to send now, and when to decide again. Fills in the backlog of `view`.
  decision decide(share_view view);

  std::uint64_t backlog() const { return backlog_.tasks(); }
  /// The load of an unfinished batch of this rank; null for other batches.
  std::shared_ptr<range_load> load_of(std::uint64_t batch) const { return own_.load_of(batch); }
  /// The number of tasks that were submitted here and have not ended.
  std::uint64_t unfinished() const { return own_.unfinished(); }
  /// The number of the next batch.
  std::uint64_t submitted() const { return own_.end(); }
  /// Batches that were submitted here and have ended since the last call.
  std::vector<ended_batch> take_ended() { return own_.take_ended(); }
  /// True once no rank has tasks any more.
  bool is_over() const { return ending_.is_over(); }
  /// True if the other ranks count this one as lost and continue without it.
  bool is_given_up() const { return is_given_up_; }
  /// Describes the rank's state, for people.
  std::string describe() const;
  /// Like range_backlog::note_state(), without the policy's state.
  void note_state(auto&& note) const {
    note(backlog_, with_devices_, creators_, own_, own_counted_, census_, ending_, is_closing_, is_stopping_,
         is_given_up_);
    for (auto const& [origin, executed] : done_) note(origin, executed.ranges);
  }

 private:
  void send(std::uint32_t to, cluster_message message);
  void send_all(cluster_message const& message);
  /// Tasks from take() that have not ended.
  struct held_range {
    task_range range;
    std::uint32_t created = 0;  ///< unfinished batches that they created
    bool has_run = false, has_losses = false;
    void note_state(auto&& note) const { note(range, created, has_run, has_losses); }
  };
  using held_at = std::vector<held_range>::iterator;

  held_at find_held(task_range const& range);
  void end_if_over(held_at at);
  void settle_created();
  void take_ranges(std::vector<task_range> ranges);
  void return_backlog();
  void share(share_view const& view, decision& next);
  void tell_done(std::int64_t now_ns, std::int64_t& look_again_ns);
  void count_holdings();
  void settle_losses();
  std::vector<task_range> held_of(std::uint32_t origin) const;

  struct executed_tasks {
    std::vector<task_range> ranges;
    std::int64_t told_ns = std::numeric_limits<std::int64_t>::min() / 2;  ///< when they were last reported
  };

  std::uint32_t rank_, ranks_;
  std::unique_ptr<share_policy> policy_;
  std::int64_t done_interval_ns_;
  range_backlog backlog_;
  std::vector<held_range> with_devices_;
  std::map<std::uint64_t, task_range> creators_;  ///< the creators of batches that were created here
  std::uint64_t running_ = 0;
  std::map<std::uint32_t, executed_tasks> done_;  ///< by origin
  own_batches own_;
  std::uint64_t own_counted_ = 0;  ///< the number of batches at the last census
  loss_census census_;
  std::map<std::uint32_t, std::string> why_lost_;
  cluster_ending ending_;
  std::vector<outgoing_message> out_;
  bool is_closing_ = false, is_stopping_ = false, is_given_up_ = false;
};

}  // namespace ballast::detail

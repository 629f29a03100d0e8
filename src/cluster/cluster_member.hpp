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

/// A batch that has ended: each of its tasks was executed, or is listed.
struct ended_batch {
  std::uint64_t number = 0;
  std::shared_ptr<range_load> load;
  std::vector<number_set::range> returned;     ///< not executed, since the cluster was stopped
  std::vector<number_set::range> perhaps_run;  ///< were on a rank when it was lost
};

/// The batches that were submitted on one rank, and what became of their tasks, wherever they are. Each task
/// ends once; error if it ends again.
class own_batches {
 public:
  explicit own_batches(std::uint32_t rank) : rank_(rank) {}

  /// Takes a batch of one task at least; returns all of it, which is to be executed. `is_repeatable`: its
  /// tasks may be executed again if a rank is lost. `kind`: 0, or created_bit.
  task_range add(std::uint32_t tasks, std::shared_ptr<range_load> load, bool is_repeatable,
                 std::uint64_t kind = 0);
  void executed(task_range const& range) { settle(range, nullptr); }
  void returned(task_range const& range) { settle(range, &batch::returned); }
  /// Some of the tasks that these created were on a rank when it was lost.
  void perhaps_run(task_range const& range) { settle(range, &batch::lost); }
  /// Considers the batches below `end`. `held` is what the living ranks have; what has neither ended nor is
  /// in it was on a lost rank. Returns what must be executed again; the rest has ended.
  std::vector<task_range> lose_all_but(std::vector<task_range> const& held, std::uint64_t end);

  /// The number of the next batch.
  std::uint64_t end() const { return end_; }
  /// True if no submitted batch is open. Batches created here do not count: the submitted batches that they
  /// came from wait for them, on whichever rank.
  bool empty() const { return open_.empty() || open_.begin()->first >= created_bit; }
  /// Tasks of open batches that were submitted and have not ended.
  std::uint64_t unfinished() const;
  /// The load of an open batch; null for other batches.
  std::shared_ptr<range_load> load_of(std::uint64_t batch) const;
  /// Batches that were submitted and have ended since the last call.
  std::vector<ended_batch> take_ended();
  /// The same, and what was returned of batches that were submitted and have not ended.
  std::vector<ended_batch> take_returned();
  /// As take_ended(), of those that were created.
  std::vector<ended_batch> take_ended_created();
  /// As of range_backlog.
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

/// How the ranks find out that no task is left anywhere. A rank whose own tasks have all ended, and which
/// will submit no more, notifies the coordinator, the first living rank; once all have, the coordinator
/// notifies all. Every task belongs to the rank where it was submitted, which knows its end, so messages need
/// not be counted as where nobody does (Mattern 1987, "Algorithms for distributed termination detection").
class cluster_ending {
 public:
  cluster_ending(std::uint32_t rank, std::uint32_t ranks);

  void lose(std::uint32_t rank) { is_lost_[rank] = has_losses_ = true; }
  /// Takes the messages finished and end.
  void receive(std::uint32_t from, cluster_message const& message);
  /// Appends the messages that are due. `is_finished`: the rank's own tasks have ended and no more will come.
  void decide(bool is_finished, std::vector<outgoing_message>& out);
  bool is_over() const { return is_over_; }
  /// As of range_backlog.
  void note_state(auto&& note) const { note(is_lost_, told_, has_passed_on_, is_over_, finished_); }

 private:
  std::uint32_t coordinator() const;
  void send_all(cluster_message::kind what, std::vector<outgoing_message>& out) const;
  bool all_have_finished() const;

  std::uint32_t rank_;
  std::vector<bool> is_lost_;
  bool has_losses_ = false, has_passed_on_ = false, is_over_ = false;
  std::optional<std::uint32_t> told_;  ///< the coordinator that knows that the rank has finished
  std::vector<bool> finished_;         ///< each rank, as the coordinator knows it
};

/// Finds out which tasks a lost rank had, though nobody keeps a record of where tasks go: every living rank
/// says what it has, and what is missing was there. What is on its way between two of them must not be
/// missing: each says on every channel that it knows of the loss, gives nothing from then on, and counts what
/// it has once all others have said so, since all that was given before has come then (the markers of Chandy
/// and Lamport 1985). Costs nothing while no rank is lost, and a message between any two when one is.
class loss_census {
 public:
  explicit loss_census(std::uint32_t rank, std::uint32_t ranks);

  /// False if that was known.
  bool lose(std::uint32_t rank);
  bool is_lost(std::uint32_t rank) const { return is_lost_[rank]; }
  std::vector<std::uint32_t> lost() const { return {lost_.begin(), lost_.end()}; }
  /// `from` knows of the loss of `lost`.
  void heard(std::uint32_t from, std::uint32_t lost) { told_[from].insert(lost); }

  /// True if tasks must not leave the rank, since it has not reported its holdings.
  bool is_frozen() const { return counted_ < lost_.size(); }
  /// True if the rank must report its holdings now; notes that it did.
  bool is_due() const;
  void count() { counted_ = lost_.size(); }

  /// Adds what a rank, or the rank itself, has of the rank's own tasks.
  void add(std::uint32_t from, cluster_message const& census);
  /// True if all living ranks have said what they have, for the first time since the last loss; then held()
  /// is that.
  bool is_complete();
  std::vector<task_range> held() const;
  /// As of range_backlog.
  void note_state(auto&& note) const { note(lost_, told_, counted_, completed_, holdings_); }

 private:
  struct holdings {
    std::vector<std::uint32_t> lost;  ///< that the rank knew of
    std::vector<task_range> ranges;
    bool is_whole = false;
    void note_state(auto&& note) const { note(lost, ranges, is_whole); }
  };

  std::uint32_t rank_;
  std::vector<bool> is_lost_;
  std::set<std::uint32_t> lost_;
  std::vector<std::set<std::uint32_t>> told_;  ///< by each rank
  std::size_t counted_ = 0;                    ///< losses
  std::size_t completed_ = 0;                  ///< losses
  std::vector<holdings> holdings_;             ///< of each rank
};

/// What one rank of a cluster does with tasks and messages: everything that is decided, and nothing that is
/// carried out. It has no clock, no threads and no messages of its own; the same calls give the same results.
/// To be asked to decide() whenever something has changed.
class cluster_member {
 public:
  /// `policy` decides which rank is asked, and how much is given. A rank collects what it has executed for
  /// another for `done_interval_ns` before it reports it.
  cluster_member(std::uint32_t rank, std::uint32_t ranks, std::unique_ptr<share_policy> policy,
                 std::int64_t done_interval_ns);

  /// Takes a batch of one task at least; returns its number. Not after close() or stop().
  std::uint64_t submit(std::uint32_t tasks, std::shared_ptr<range_load> load, bool is_repeatable);
  /// No more will be submitted here.
  void close() { is_closing_ = true; }
  /// No rank executes more than its devices have by now.
  void stop();
  /// True if close() or stop() was called, or another rank was stopped.
  bool is_closing() const { return is_closing_; }

  /// A message has come.
  void receive(std::uint32_t from, cluster_message message);
  /// A rank does not answer. `why` is a sentence, or empty.
  void lose(std::uint32_t rank, std::string const& why = {});
  /// This rank cannot continue, and the others are notified: from now on nothing is taken or sent.
  void leave() { is_given_up_ = true; }
  /// Called once this rank stops. Returns, once each, those tasks submitted here that neither its devices nor
  /// other ranks got, or that were returned. Batches of which others have tasks do not end.
  std::vector<ended_batch> take_unexecuted();
  bool is_lost(std::uint32_t rank) const { return census_.is_lost(rank); }
  std::vector<std::uint32_t> lost() const { return census_.lost(); }
  /// The reasons, after ": ", for the loss of all lost ranks; empty if nothing is known.
  std::string why_lost() const;

  /// The first range that take() would return; null if there are none.
  task_range const* next() const { return backlog_.tasks() == 0 ? nullptr : &backlog_.ranges().front(); }
  /// Tasks for the rank's devices, up to `max` of one range; no tasks if there are none.
  task_range take(std::uint32_t max);
  /// Tasks of take() were executed. `range.load` has their results. They have ended once all tasks passed to
  /// created() have.
  void executed(task_range const& range);
  /// Call before that: `creator`, a task of take(), created `tasks` tasks that left their device. They are a
  /// batch of this rank, whoever executes them. With `stays` none but this rank may: they are with its
  /// devices when this returns. The batch; no tasks if no rank waits for them, since the creator's origin is
  /// lost.
  task_range created(task_range const& creator, std::uint32_t tasks, std::shared_ptr<range_load> load,
                     bool is_repeatable, bool stays = false);

  /// What is to be sent now.
  struct decision {
    std::vector<outgoing_message> messages;  ///< in this order
    std::int64_t look_again_ns = std::numeric_limits<std::int64_t>::max();
    std::uint64_t wanting = 0;  ///< as of share_decision; 0 if nothing may leave the rank
  };
  /// The backlog of `view` is filled in.
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
  /// Whether no rank has tasks any more.
  bool is_over() const { return ending_.is_over(); }
  /// True if the others take this rank for lost and continue without it.
  bool is_given_up() const { return is_given_up_; }
  /// For people.
  std::string describe() const;
  /// As of range_backlog; without the policy's.
  void note_state(auto&& note) const {
    note(backlog_, with_devices_, creators_, own_, own_counted_, census_, ending_, is_closing_, is_stopping_,
         is_given_up_);
    for (auto const& [origin, executed] : done_) note(origin, executed.ranges);
  }

 private:
  void send(std::uint32_t to, cluster_message message);
  void send_all(cluster_message const& message);
  /// What take() returned and has not ended.
  struct held_range {
    task_range range;
    std::uint32_t created = 0;  ///< batches that came of it and have not ended
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
    std::int64_t told_ns = std::numeric_limits<std::int64_t>::min() / 2;  ///< the last time
  };

  std::uint32_t rank_, ranks_;
  std::unique_ptr<share_policy> policy_;
  std::int64_t done_interval_ns_;
  range_backlog backlog_;
  std::vector<held_range> with_devices_;
  std::map<std::uint64_t, task_range> creators_;  ///< of batches that were created here
  std::uint64_t running_ = 0;
  std::map<std::uint32_t, executed_tasks> done_;  ///< by origin
  own_batches own_;
  std::uint64_t own_counted_ = 0;  ///< batches that there were at the last census
  loss_census census_;
  std::map<std::uint32_t, std::string> why_lost_;
  cluster_ending ending_;
  std::vector<outgoing_message> out_;
  bool is_closing_ = false, is_stopping_ = false, is_given_up_ = false;
};

}  // namespace ballast::detail

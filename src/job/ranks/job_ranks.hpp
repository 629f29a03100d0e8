// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "arrays/array_state.hpp"
#include "arrays/byte_runs.hpp"
#include "arrays/operations.hpp"
#include "ballast/access_map.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/detail/job/array_handle.hpp"
#include "ballast/detail/job/job_peers.hpp"
#include "plan/job_order.hpp"
#include "plan/job_planner.hpp"
#include "plan/job_record.hpp"
#include "plan/planned_work.hpp"
#include "ranks/exchange_port.hpp"

namespace ballast::detail {

/// Bytes of one array that a rank lacks, and the rank that must send them.
struct rank_exchange {
  array_id array;
  std::uint32_t from = 0, to = 0;
  std::vector<byte_range> bytes{};  ///< ascending, all non-empty

  bool operator==(rank_exchange const&) const = default;
};

/// Records which ranks have the current bytes of the arrays. Each rank keeps a ledger. All ranks submit the
/// same jobs, so all ledgers are equal, and each rank knows without being asked what to send and what will
/// arrive. It distinguishes ranks, not places within a rank, which the directories track. Pure; one thread at
/// a time.
class rank_ledger {
 public:
  /// A rank's reads and writes in one step, which is a job or a host access.
  using uses_of_rank = std::function<std::vector<array_use>(std::uint32_t rank)>;

  explicit rank_ledger(std::uint32_t ranks);
  ~rank_ledger();

  /// Adds an array whose bytes all ranks have.
  void add(array_id array, std::size_t bytes);
  void forget(array_id array);

  /// Records a step, and returns the exchanges that must precede it, in the same order on all ranks: a
  /// receiver of bytes may have to send them on to the next rank, so that widely read bytes spread as a tree.
  /// Afterwards only the writing rank has what it writes.
  std::vector<rank_exchange> step(uses_of_rank const& uses);
  /// Records that all ranks write the same values.
  void record_common_write(array_id array, byte_runs const& bytes);

 private:
  class array_holders;

  std::uint32_t best_source(std::vector<std::uint32_t> const& holders, std::uint32_t to) const;
  void fetch(std::uint32_t rank, array_use const& use, std::vector<rank_exchange>& exchanges);
  void record_arrivals(rank_exchange const& exchange);

  std::uint32_t const ranks_;
  std::vector<std::uint32_t> turns_;  ///< for each rank: when in this step it is free to send, in exchanges
  std::vector<std::unique_ptr<array_holders>> arrays_;  ///< by number; null if forgotten
};

/// The units, or rows, of `whole` that belong to a rank: equally many for all, or one more for the first
/// ranks.
index_range part_of_rank(std::size_t whole, std::uint32_t rank, std::uint32_t ranks);

/// Decides which units of a job each rank computes: equally many until it has learned the ranks' times, then
/// more for the faster ranks. It uses integers, so equal times give equal shares on all ranks. Pure; one
/// thread at a time.
class rank_shares {
 public:
  explicit rank_shares(std::uint32_t ranks) : ranks_(ranks) {}

  /// True if the ranks must compare times before the next job of a site: before the third, fifth, ninth, and
  /// so on, at intervals that double.
  bool is_due(job_site const& site) const;
  /// Learns from each rank's time for the newest job. Changes the shares if that promises to save more than
  /// 3% of the time.
  void learn(job_site const& site, std::span<rank_time const> of_ranks);
  /// Counts a job of the site. Call it when the job begins.
  void count(job_site const& site) { ++sites_[site].jobs; }
  index_range part(job_site const& site, std::uint64_t units, std::uint32_t rank) const;

 private:
  struct learned {
    std::uint64_t jobs = 0;
    std::vector<std::uint64_t> weights{};  ///< for each rank; empty: all are equal
  };

  std::uint32_t const ranks_;
  std::map<job_site, learned> sites_;
};

/// Plans the jobs and the exchanges of one of several ranks. Both take turns in one order, and jobs are
/// planned one after another, each after the exchanges before it. Otherwise the devices of two ranks, or
/// their copy streams, might be full of tasks that wait for operations queued behind such tasks on the other
/// rank. No device, no clock, no mutex; one thread at a time.
class exchange_plan {
 public:
  /// All arguments must outlive this object.
  exchange_plan(job_planner& planner, operations& ops, work_sink& sink, retired_objects& retired)
      : planner_(planner), ops_(ops), sink_(sink), retired_(retired) {}

  /// Adds an exchange, in turn: bytes of an array that are sent to another rank or received from one. Does
  /// nothing if nothing owns the array any more.
  void add(array_id array, exchanged_bytes what);
  /// Plans all work that may be planned, jobs too; call it in place of job_planner::advance().
  void advance();
  /// Handles the end of an exchange that the sink accepted.
  void handle_end(exchange_work const& exchange);
  /// Fails all unfinished jobs, and drops unplanned exchanges: the other ranks will not do their parts. The
  /// caller must end the planned ones.
  void abandon(std::exception_ptr const& why);
  /// The exchanges that have not ended.
  std::size_t unfinished() const { return unfinished_; }
  /// The bytes of all exchanges that were added.
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }

 private:
  struct waiting_exchange {
    job_number turn;
    array_use use;
    std::shared_ptr<array_state> array;
    exchanged_bytes what;
  };

  bool plan_before(job_number turn);
  void plan(waiting_exchange const& exchange);

  job_planner& planner_;
  operations& ops_;
  work_sink& sink_;
  retired_objects& retired_;
  std::deque<waiting_exchange> waiting_;  ///< for their turns, ascending
  std::size_t unfinished_ = 0;
  std::uint32_t newest_ = 0;
  std::uint64_t sent_ = 0, received_ = 0;
};

/// Decides, for a scheduler of several ranks, which rank computes what and which bytes the ranks exchange.
/// Has a thread that reports results to the scheduler, whose listeners may free memory and call the user's
/// code, as the thread of the messages may not.
class job_ranks {
 public:
  struct listeners {
    std::function<void(std::vector<ended_operation> const& ends)> ended;
    /// Called when the ranks cannot continue. Nothing is exchanged after this.
    std::function<void(std::exception_ptr why)> failed;
    /// Wakes an executor that waits for an exchange.
    std::function<void(std::uint32_t executor)> wake;
  };

  /// Collective. The listeners are called until stop(). Throws error, as job_peers::open() does.
  job_ranks(std::shared_ptr<job_peers> peers, exchange_plan plan, listeners told);
  ~job_ranks();

  /// One thread at a time.
  exchange_plan& plan() { return plan_; }

  // Call these in program order, which is the same on all ranks; one thread at a time. Each begin() adds the
  // exchanges that this rank must do first to the plan.
  void add(array_state const& array);
  void forget(array_id array) { ledger_.forget(array); }
  /// Also gives the job this rank's part of its units.
  void begin(job_record& job);
  void begin(array_state const& array, access_request const& what);

  /// The site's newest job, if all ranks must compare their times for it before the next job begins; else
  /// null.
  std::shared_ptr<job_end> job_to_learn_from(job_site const& site) const;
  /// The times of all ranks for this ended job, as each reports them. Waits for the ranks, without the
  /// scheduler's mutex. Throws timed_out, and the ranks' failure.
  std::vector<rank_time> compare(job_report const& newest, deadline until);
  void learn(job_site const& site, std::vector<rank_time> const& times) { shares_.learn(site, times); }

  /// The elements that this rank has after the access; own_elements means its part of the slowest dimension.
  index_range elements_of(array_state const& array, access_request const& what) const {
    return elements_of(array, what, rank_);
  }

  // Any thread.
  void begin(exchange_work const& work, std::shared_ptr<operation_progress> progress);
  /// Calls the listener, and notifies the other ranks. Called if this rank cannot continue.
  void fail(std::exception_ptr why);
  /// Like fail(), when an exception ends the scheduler: the code that catches the exception notifies the
  /// other ranks.
  void leave();
  /// Ends the thread. `is_over`: this rank has done everything that the other ranks need.
  void stop(bool is_over);

 private:
  job_part part_of(job_record const& job, std::uint32_t rank) const;
  index_range elements_of(array_state const& array, access_request const& what, std::uint32_t rank) const;
  void add(std::vector<rank_exchange> const& all);
  void note_step(std::string text);
  void end(std::shared_ptr<operation_progress> const& progress);
  void run();
  bool tell_ends();
  void abandon(std::exception_ptr const& why);

  std::shared_ptr<job_peers> const peers_;
  std::uint32_t const rank_, ranks_;
  listeners const told_;
  exchange_plan plan_;
  rank_ledger ledger_;
  rank_shares shares_;
  std::map<job_site, std::shared_ptr<job_end>> newest_;
  std::uint64_t step_ = 0;

  std::mutex mutex_;  ///< taken last
  event_count changed_;
  std::vector<ended_operation> ended_;
  std::exception_ptr failure_;
  bool has_failed_ = false, has_left_ = false, is_stopping_ = false;
  exchange_port port_;
  std::thread thread_;
};

}  // namespace ballast::detail

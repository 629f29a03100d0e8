// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

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
  template <class Note>
  void note_state(Note&& note) const {
    note(end_, open_);
  }

 private:
  struct batch {
    std::uint32_t tasks = 0;
    bool is_repeatable = false;
    std::shared_ptr<range_load> load;
    number_set ended;
    std::vector<number_set::range> returned, lost;
    template <class Note>
    void note_state(Note&& note) const {
      note(tasks, ended, returned, lost);
    }
  };
  using listed = std::vector<number_set::range> batch::*;

  void settle(task_range const& range, listed list);
  void close_if_ended(std::map<std::uint64_t, batch>::iterator at);

  std::uint32_t rank_;
  std::uint64_t end_ = 0;
  std::map<std::uint64_t, batch> open_;
  std::vector<ended_batch> ended_, ended_created_;
};

}  // namespace ballast::detail

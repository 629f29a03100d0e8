// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/detail/base/event_count.hpp"
#include "ballast/detail/base/source_run.hpp"

namespace ballast::detail {

/// Consecutive tasks of a batch.
struct task_run {
  std::size_t first = 0, count = 0;

  std::size_t end() const { return first + count; }
};

/// The time that the tasks of a batch took, as time of a whole device: a sum for each of some sections of
/// consecutive tasks. Pure.
class batch_costs {
 public:
  /// Divides the tasks into at most `sections` equal sections; with none it learns nothing.
  batch_costs(std::size_t tasks, std::size_t sections);

  /// `tasks` ran in `ns` together, each equally long.
  void add(task_run const& tasks, double ns);
  /// Whether anything took any time.
  bool are_known() const;
  /// The borders of parts that take equally long. Without are_known() all parts have equally many tasks.
  std::vector<std::size_t> cut(std::size_t parts) const;

 private:
  std::size_t begin_of(std::size_t section) const { return tasks_ * section / ns_.size(); }

  std::size_t tasks_;
  std::vector<double> ns_;
};

/// Remembers what batches took, to cut later ones of the same kernel and as many tasks. Pure.
class learned_costs {
 public:
  struct kind {
    std::uint32_t kernel;  ///< of the first task
    std::size_t tasks;

    bool operator==(kind const&) const = default;
  };

  void learn(kind const& of, batch_costs costs);
  /// Like batch_costs::cut() of the last such batch; equal parts if there was none.
  std::vector<std::size_t> cut(kind const& of, std::size_t parts) const;

 private:
  struct known {
    kind of;
    batch_costs costs;
  };

  static constexpr std::size_t max_known = 16;

  std::vector<known> known_;  // the last one learned at the end
};

/// Which of a batch's tasks no device was given yet, in parts of consecutive tasks. With a part for each
/// device a device begins in its own, so that it works on what lies together (affinity scheduling, Markatos
/// and LeBlanc 1994): the first at its front, the last at its end, the others in the middle, from where they
/// go both ways. Then it takes what adjoins its own from the neighbour that has more left, and then from the
/// device that has most left. With one part all take its front. Pure.
class batch_parts {
 public:
  /// `borders`: where each part begins, and where the last one ends; at least two.
  explicit batch_parts(std::vector<std::size_t> const& borders);

  /// Up to `max_count` tasks for the device; fewer where a part ends, none if nothing is left.
  task_run take(std::size_t device, std::uint64_t max_count);
  bool empty() const;
  /// What is left, in order.
  std::vector<task_run> rest() const;

 private:
  /// The rest of a part, before and after what its device has.
  struct part {
    task_run before, behind;

    std::size_t count() const { return before.count + behind.count; }
  };

  std::size_t find_other(std::size_t own) const;
  static task_run take_front(task_run& from, std::uint64_t max_count);
  static task_run take_back(task_run& from, std::uint64_t max_count);

  std::vector<part> parts_;
};

/// A batch of the backlog: what is left to give away, and what came of the rest.
struct backlog_batch {
  std::shared_ptr<prepared_tasks const> tasks;
  batch_parts left;
  batch_costs costs;
  std::atomic<std::size_t> unfinished = 0;
  std::vector<device_share> shares;
  std::uint64_t given = 0;  ///< pieces that a device has
  std::uint64_t number = 0;
  bool has_lost = false;   ///< a piece, which will never have run
  bool has_begun = false;  ///< a device was given a piece
};

/// Consecutive tasks of one batch, on their way to a device.
struct backlog_piece {
  std::shared_ptr<backlog_batch> batch;
  std::size_t first = 0, count = 0;
};

/// The common store of tasks. Any thread may call any member.
class backlog {
 public:
  /// `parts`: of each batch; 1, or one for each device.
  explicit backlog(std::size_t devices, std::size_t parts = 1)
      : devices_(devices), parts_(parts), idle_(devices) {}

  /// Appends a batch. Throws ballast::error if closed, and what was passed to fail().
  completion add(std::shared_ptr<prepared_tasks const> tasks);
  void close();  ///< add() refuses from now on
  /// Forgets everything but what batches took; completions from now on are of that run, or of no work if it
  /// is null.
  void open(source_run* run = nullptr);
  /// No device takes or runs anything any more.
  void settle();
  void enter();  ///< a thread that takes for a device
  void leave();
  std::uint64_t waiting() const { return waiting_.load(); }
  /// The kernel of the first task of the oldest batch that has any left; 0 if there is none.
  std::uint32_t next_kernel() const;
  /// Up to `max_count` tasks for the device, of the oldest batch that has any.
  std::optional<backlog_piece> take(std::size_t device, std::uint64_t max_count);
  /// The opposite of take(), for the piece that no device accepted because everything stops.
  void give_back(backlog_piece const& piece);
  /// The device that had the piece will not run it, or not to its end.
  void lose(backlog_piece const& piece);
  /// `workers`: of the device, at least 1; of no matter with one part.
  void finish(backlog_piece const& piece, std::size_t device, execution const& when,
              std::uint32_t workers = 1);
  /// A task that came of a piece and left its device, before that piece is finished.
  void add_created(backlog_piece const& piece, task_record const& record);
  std::vector<created_task> take_created();
  /// Workers without a task, as their feeding thread last saw it.
  void set_idle_workers(std::size_t device, std::uint64_t workers) { idle_[device] = workers; }
  std::uint64_t idle_elsewhere(std::size_t device) const;
  /// A feeding thread ended with an exception: waiters throw it.
  void fail(std::exception_ptr why);
  void rethrow_failure() const;
  std::exception_ptr failure() const;

  bool finished(std::uint64_t number) const;
  /// True if the batch is finished, or will never be and no device works on it any more.
  bool has_ended(std::uint64_t number) const;
  std::uint64_t unfinished() const;  ///< tasks of this run, wherever they are
  std::vector<std::uint64_t> unfinished_batches() const;
  std::uint64_t end() const;  ///< one past the last batch number
  /// Sleeps until the batch is finished, something failed, or `until`; may wake before.
  void sleep_until_finished(std::uint64_t number, deadline until);
  std::vector<device_share> shares(std::uint64_t number) const;
  void forget(std::uint64_t number);
  std::vector<task> take_all(kernel_set const& kernels);
  /// At most this many batches that have not ended precede one that has.
  std::uint64_t max_overtaken() const;
  /// Is notified when a batch may have ended, or something failed.
  event_count& changed() { return changed_; }

 private:
  void throw_if_closed() const;  ///< for the mutex's holder
  std::vector<std::size_t> cut(prepared_tasks const& tasks) const;
  std::shared_ptr<backlog_batch> find(std::uint64_t number) const;

  std::size_t devices_, parts_;
  std::vector<std::atomic<std::uint64_t>> idle_;
  mutable std::mutex mutex_;
  event_count changed_;
  learned_costs learned_;
  std::map<std::uint64_t, std::shared_ptr<backlog_batch>> batches_;
  std::deque<std::shared_ptr<backlog_batch>> open_;
  std::vector<backlog_piece> returned_;
  std::vector<created_task> created_;
  std::uint64_t next_ = 0;
  source_run* run_ = nullptr;
  bool is_settled_ = false;
  std::size_t takers_ = 0;  // threads that take for a device
  bool closed_ = false;
  std::uint64_t begun_ = 0;  // batches that have begun and not run
  std::atomic<std::uint64_t> waiting_ = 0;
  std::exception_ptr failure_;
};

}  // namespace ballast::detail

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

/// The times of a batch's tasks, converted to time of a whole device: a sum for each section of consecutive
/// tasks. Pure.
class batch_costs {
 public:
  /// Divides the tasks into at most `sections` equal sections; with none it learns nothing.
  batch_costs(std::size_t tasks, std::size_t sections);

  /// Records that `tasks` ran in `ns` together; counts them as equally long.
  void add(task_run const& tasks, double ns);
  /// True if any time was recorded.
  bool are_known() const;
  /// The borders of parts that take equally long. Unless are_known(), all parts have equally many tasks.
  std::vector<std::size_t> cut(std::size_t parts) const;

 private:
  std::size_t begin_of(std::size_t section) const { return tasks_ * section / ns_.size(); }

  std::size_t tasks_;
  std::vector<double> ns_;
};

/// Remembers the costs of batches, to cut later ones of the same kernel and number of tasks. Pure.
class learned_costs {
 public:
  struct kind {
    std::uint32_t kernel;  ///< of the first task
    std::size_t tasks;

    bool operator==(kind const&) const = default;
  };

  void learn(kind const& of, batch_costs costs);
  /// The result of batch_costs::cut() for the last such batch; equal parts if there was none.
  std::vector<std::size_t> cut(kind const& of, std::size_t parts) const;

 private:
  struct known {
    kind of;
    batch_costs costs;
  };

  static constexpr std::size_t max_known = 16;

  std::vector<known> known_;  // the most recent one is last
};

/// The tasks of a batch that no device has, in parts of consecutive tasks. With a part for each device, a
/// device begins in its own, so that it works on neighbouring data (affinity scheduling, Markatos and LeBlanc
/// 1994): the first device at its part's front, the last at its part's end, the others in the middle, in both
/// directions. Then it takes tasks adjacent to its own from the neighbour with more tasks left, and finally
/// from the device with most left. With one part all devices take from its front. Pure.
class batch_parts {
 public:
  /// `borders`: the beginning of each part, and the end of the last one; at least two.
  explicit batch_parts(std::vector<std::size_t> const& borders);

  /// Up to `max_count` tasks for the device; fewer at the end of a part, none if no task is left.
  task_run take(std::size_t device, std::uint64_t max_count);
  bool empty() const;
  /// The remaining tasks, in order.
  std::vector<task_run> rest() const;
  std::vector<task_run> take_rest();

 private:
  /// The rest of a part, before and after its device's tasks.
  struct part {
    task_run before, behind;

    std::size_t count() const { return before.count + behind.count; }
  };

  std::size_t find_other(std::size_t own) const;
  static task_run take_front(task_run& from, std::uint64_t max_count);
  static task_run take_back(task_run& from, std::uint64_t max_count);

  std::vector<part> parts_;
};

/// A batch of the backlog: the tasks still to give away, and the progress of the others.
struct backlog_batch {
  std::shared_ptr<prepared_tasks const> tasks;
  batch_parts left;
  batch_costs costs;
  std::atomic<std::size_t> unfinished = 0;
  std::vector<device_share> shares;
  int priority = 0;
  bool is_urgent = false;
  clock::time_point since = clock::now();  ///< when it was submitted
  std::uint64_t given = 0;                 ///< pieces that are on devices
  std::uint64_t number = 0;
  bool has_lost = false;   ///< a piece was lost, and will never have run
  bool has_begun = false;  ///< a device was given a piece
};

/// How many tasks of a batch were cancelled, by its number; only of batches that had any.
using cancelled_counts = std::map<std::uint64_t, std::uint64_t>;

/// Throws cancelled_batch if the batch is listed.
void throw_if_cancelled(cancelled_counts const& cancelled, std::uint64_t number);

/// Consecutive tasks of one batch, on their way to a device.
struct backlog_piece {
  std::shared_ptr<backlog_batch> batch;
  std::size_t first = 0, count = 0;
};

/// The common store of tasks. Any thread may call any member.
class backlog {
 public:
  /// `parts` of each batch: 1, or one for each device.
  explicit backlog(std::size_t devices, std::size_t parts = 1)
      : devices_(devices), parts_(parts), idle_(devices) {}

  /// Adds a batch behind those of the same or a higher priority; urgent ones come before all others. Throws
  /// ballast::error if closed, and the exception passed to fail().
  completion add(std::shared_ptr<prepared_tasks const> tasks, int priority = 0, bool is_urgent = false);
  void close();  ///< add() refuses from now on
  /// Throws what add() throws where it accepts nothing.
  void check_open() const;
  /// Forgets everything except the costs of batches. Later completions belong to `run`, or to no work if
  /// `run` is null.
  void open(source_run* run = nullptr);
  /// Records that no device takes or runs tasks any more.
  void settle();
  void enter();  ///< registers a thread that takes tasks for a device
  void leave();
  std::uint64_t waiting() const { return waiting_.load(); }
  /// The kernel of the first task of the batch from which take() takes; 0 if there is none.
  std::uint32_t next_kernel() const;
  /// Up to `max_count` tasks for the device, from the oldest batch of the highest priority that has any.
  std::optional<backlog_piece> take(std::size_t device, std::uint64_t max_count);
  bool has_urgent() const;
  /// take(), if that batch is urgent.
  std::optional<backlog_piece> take_urgent(std::size_t device, std::uint64_t max_count);
  /// Undoes take() of a piece that no device accepted because everything stops.
  void give_back(backlog_piece const& piece);
  /// Records that the device with the piece will not run it completely.
  void lose(backlog_piece const& piece);
  /// Records that the device has run the piece. `workers`: the number of the device's workers, at least 1;
  /// ignored with one part.
  void finish(backlog_piece const& piece, std::size_t device, execution const& when,
              std::uint32_t workers = 1);
  /// Adds a task that a piece created and that left its device, before that piece has finished.
  void add_created(backlog_piece const& piece, task_record const& record);
  std::vector<created_task> take_created();
  /// Sets the number of the device's workers without a task, as its feeding thread last saw it.
  void set_idle_workers(std::size_t device, std::uint64_t workers) { idle_[device] = workers; }
  std::uint64_t idle_elsewhere(std::size_t device) const;
  /// Records that a feeding thread ended with an exception: waiters throw it.
  void fail(std::exception_ptr why);
  void rethrow_failure() const;
  std::exception_ptr failure() const;

  bool finished(std::uint64_t number) const;
  /// True if the batch has finished, or never will and no device works on it any more.
  bool has_ended(std::uint64_t number) const;
  std::uint64_t unfinished() const;  ///< tasks of this run, on devices or not
  queue_progress progress();         ///< without devices
  std::vector<std::uint64_t> unfinished_batches() const;
  std::uint64_t end() const;  ///< one past the last batch number
  /// Sleeps until the batch has finished, something failed, or `until`; may wake before.
  void sleep_until_finished(std::uint64_t number, deadline until);
  std::vector<device_share> shares(std::uint64_t number) const;
  void forget(std::uint64_t number);
  std::vector<task> take_all(kernel_set const& kernels);
  /// Takes the tasks of the batch that no device has. If there are any, the batch finishes without them, and
  /// counts them as cancelled until open(), even after forget().
  std::vector<task> cancel(std::uint64_t number, kernel_set const& kernels);
  cancelled_counts cancelled() const;
  /// Throws cancelled_batch if tasks of the batch were cancelled.
  void check_not_cancelled(std::uint64_t number) const;
  /// The largest possible number of unfinished batches ahead of a finished one.
  std::uint64_t max_overtaken() const;
  /// Notified when a batch may have ended, or something failed.
  event_count& changed() { return changed_; }

 private:
  std::optional<backlog_piece> take_first(std::size_t device, std::uint64_t max_count);  ///< with the mutex
  void throw_if_closed() const;                           ///< for the mutex's holder
  void open_batch(std::shared_ptr<backlog_batch> batch);  ///< for the mutex's holder
  std::vector<std::size_t> cut(prepared_tasks const& tasks) const;
  std::vector<backlog_piece> take_rest(std::shared_ptr<backlog_batch> const& of);  ///< for the mutex's holder
  std::shared_ptr<backlog_batch> find(std::uint64_t number) const;
  bool find_oldest(std::size_t looks);  ///< for the mutex's holder

  std::size_t devices_, parts_;
  std::vector<std::atomic<std::uint64_t>> idle_;
  mutable std::mutex mutex_;
  event_count changed_;
  learned_costs learned_;
  std::map<std::uint64_t, std::shared_ptr<backlog_batch>> batches_;
  std::deque<std::shared_ptr<backlog_batch>> open_;  // in the order in which devices begin them
  std::vector<backlog_piece> returned_;
  cancelled_counts cancelled_;
  std::vector<created_task> created_;
  std::uint64_t next_ = 0;
  std::uint64_t accepted_ = 0, done_ = 0;  // tasks that are not cancelled, and those that have run
  std::uint64_t oldest_ = 0;               // all batches before have finished
  source_run* run_ = nullptr;
  bool is_settled_ = false;
  std::size_t takers_ = 0;  // threads that take tasks for a device
  bool closed_ = false;
  std::uint64_t begun_ = 0;         // batches that have begun and not finished
  bool are_begun_in_order_ = true;  // of submission: those of open_, and those before them
  std::atomic<std::uint64_t> waiting_ = 0;
  std::exception_ptr failure_;
};

}  // namespace ballast::detail

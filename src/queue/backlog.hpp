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

/// Which of a batch's tasks no device was given yet, in equal parts of consecutive tasks. With a part for
/// each device a device takes the front of its own first, so that it works on what lies together, and then
/// what others left, from the end of the largest part (affinity scheduling, Markatos and LeBlanc 1994). With
/// one part all take its front. Pure.
class batch_parts {
 public:
  struct range {
    std::size_t first = 0, count = 0;
  };

  /// `parts`: at least 1.
  batch_parts(std::size_t tasks, std::size_t parts);

  /// Up to `max_count` tasks for the device; fewer where a part ends, none if nothing is left.
  range take(std::size_t device, std::uint64_t max_count);
  bool empty() const;
  /// The parts, each cut down to the tasks that are left of it.
  std::vector<range> const& rest() const { return parts_; }

 private:
  std::vector<range> parts_;
};

/// A batch of the backlog: what is left to give away, and what came of the rest.
struct backlog_batch {
  std::shared_ptr<prepared_tasks const> tasks;
  batch_parts left;
  std::atomic<std::size_t> unfinished = 0;
  std::vector<device_share> shares;
  std::uint64_t given = 0;  ///< pieces that a device has
  std::uint64_t number = 0;
  bool has_lost = false;  ///< a piece, which will never have run
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

  /// Appends a batch. Throws ballast::error if closed, and what fail() was told.
  completion add(std::shared_ptr<prepared_tasks const> tasks);
  void close();  ///< add() refuses from now on
  /// Forgets everything; completions from now on are of that run, or of no work if it is null.
  void open(source_run* run = nullptr);
  /// No device takes or runs anything any more.
  void settle();
  void enter();  ///< a thread that takes for a device
  void leave();
  std::uint64_t waiting() const { return waiting_.load(); }
  /// Up to `max_count` tasks for the device, of the oldest batch that has any.
  std::optional<backlog_piece> take(std::size_t device, std::uint64_t max_count);
  /// The opposite of take(), for the piece that no device accepted because everything stops.
  void give_back(backlog_piece const& piece);
  /// The device that had the piece will not run it, or not to its end.
  void lose(backlog_piece const& piece);
  void finish(backlog_piece const& piece, std::size_t device, execution const& when);
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
  /// Whether the batch is finished, or will never be and no device works on it any more.
  bool has_ended(std::uint64_t number) const;
  std::uint64_t unfinished() const;  ///< tasks of this run, wherever they are
  std::vector<std::uint64_t> unfinished_batches() const;
  std::uint64_t end() const;  ///< one past the last batch number
  /// Sleeps until the batch is finished, something failed, or `until`; may wake before.
  void sleep_until_finished(std::uint64_t number, clock::time_point until);
  std::vector<device_share> shares(std::uint64_t number) const;
  void forget(std::uint64_t number);
  std::vector<task> take_all(kernel_set const& kernels);
  /// Is notified when a batch may have ended, or something failed.
  event_count& changed() { return changed_; }

 private:
  void throw_if_closed() const;  ///< for who holds the mutex
  std::shared_ptr<backlog_batch> find(std::uint64_t number) const;

  std::size_t devices_, parts_;
  std::vector<std::atomic<std::uint64_t>> idle_;
  mutable std::mutex mutex_;
  event_count changed_;
  std::map<std::uint64_t, std::shared_ptr<backlog_batch>> batches_;
  std::deque<std::shared_ptr<backlog_batch>> open_;
  std::vector<backlog_piece> returned_;
  std::vector<created_task> created_;
  std::uint64_t next_ = 0;
  source_run* run_ = nullptr;
  bool is_settled_ = false;
  std::size_t takers_ = 0;  // threads that take for a device
  bool closed_ = false;
  std::atomic<std::uint64_t> waiting_ = 0;
  std::exception_ptr failure_;
};

}  // namespace ballast::detail

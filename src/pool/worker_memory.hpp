// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ballast/detail/pool/join_cache.cuh"
#include "ballast/detail/pool/launch_epilogue.cuh"
#include "pool_executor.hpp"

namespace ballast::detail {

/// The arena of a pool's joins; empty if its kernels make none.
class join_memory {
 public:
  join_memory(pool_plan const& plan, std::uint32_t workers);

  join_arena arena() const;
  homing_words* homing() const { return homing_.data(); }
  std::uint32_t homing_lists() const { return std::uint32_t(homing_.size()); }
  void clear(stream& on);
  /// The bytes of `records` records, or of the existing records if there are more.
  std::size_t bytes_for(std::uint64_t records) const {
    return std::max<std::uint64_t>(records, records_.size()) * sizeof(join_record);
  }
  bool must_grow_for(std::uint64_t records) const { return records > records_.size(); }
  /// For `static`: makes space for `records` records in all, keeping the records in use. Throws
  /// ballast::error.
  void grow(stream& on, std::uint64_t records);
  /// Records that were used at some time.
  std::uint32_t used(stream& on) const {
    return std::min(copy_of(on, used_)[0], std::uint32_t(records_.size()));
  }
  std::size_t bytes() const;

 private:
  std::shared_ptr<compute_device> device_;
  std::uint32_t batch_, cache_capacity_;
  device_buffer<join_record> records_;
  device_buffer<std::uint32_t> used_, caches_;
  device_buffer<ring_queue_words> ring_;
  device_buffer<ring_slot<std::uint32_t>> slots_;
  device_buffer<homing_words> homing_;
};

/// Checks that the joins of one of several devices fit into short handles. Throws bad_argument ("joins").
void require_names_for_joins(pool_plan const& plan, std::uint32_t workers);

/// The words that the workers of a launch share, followed by each worker's report, in one piece of memory on
/// the device and one on the host. No member waits.
class launch_memory {
 public:
  launch_memory(std::shared_ptr<compute_device> device, std::uint32_t workers);

  std::size_t bytes() const { return there_.bytes(); }
  /// Called before a launch: clears the words.
  void begin(stream& on);
  /// Called after a launch on a GPU: enqueues the epilogue, whose code is `code`.
  void end(stream& on, kernel_code const& code);
  /// Copies everything to the host: instead of end(), and also in the middle of a launch.
  void read_back(stream& on);
  /// Clears the reports, which is needed if not every worker writes one.
  void clear_reports(stream& on);

  /// The words and reports on the device.
  pool_words* words() const { return words_at(there_.data()); }
  worker_report* reports() const { return behind_words(there_.data()); }
  /// The result of the last end() or read_back(); zero before.
  pool_words const& words_here() const { return *words_at(here_.data()); }
  std::span<worker_report const> reports_here() const { return {behind_words(here_.data()), workers_}; }

 private:
  using piece = launch_epilogue::piece;

  static pool_words* words_at(piece* at) { return reinterpret_cast<pool_words*>(at); }
  static worker_report* behind_words(piece* at) {
    return reinterpret_cast<worker_report*>(at + sizeof(pool_words) / sizeof(piece));
  }

  std::uint32_t workers_;
  bool is_clear_ = false;  ///< whether the words on the device are clear, or will be once the stream gets
                           ///< there
  device_buffer<piece> there_;
  pinned_buffer<piece> here_;
};

/// The memory that the workers of a resident kernel need with any method: their waiting tasks, stacks, counts
/// and joins. Call members only while no worker runs.
class worker_memory {
 public:
  worker_memory(pool_plan const& plan, std::uint32_t max_workers);

  /// Sets the number of workers in the next launch, at most max_workers, which is also the default. Tasks
  /// that further workers had after an earlier launch were collected then, and are ignored now.
  void set_workers(std::uint32_t workers) { workers_ = workers; }
  std::size_t bytes() const;

  /// Clears joins that stopped runs left. Joins to which the tasks of a stopped run refer are kept until
  /// another run has completed, unless the stopped run ran out of joins here. Called once for each run,
  /// before its first launch.
  void begin_run(stream& on);
  void end_run(bool was_stopped, pool_halt halt);
  void forget_joins() { joins_are_stale_ = true; }
  bool has_forgotten_joins() const { return joins_are_stale_; }
  join_memory const& joins() const { return joins_; }

  /// Sets the tasks that wait when the next launch begins; workers without tasks take some, the newest first.
  /// Called before each launch. Allocates if there are more tasks than ever before. Waits for the stream only
  /// if there are more than max_inline_tasks.
  void set_waiting(stream& on, std::span<stored_task const> waiting);
  void clear_reports(stream& on) { launch_.clear_reports(on); }
  pool_view view() const;

  /// Call either end_launch() or read_back() after each launch; once the stream gets there, the launch's
  /// results can be read.
  void end_launch(stream& on, kernel_code const& code) { launch_.end(on, code); }
  void read_back(stream& on) { launch_.read_back(on); }
  pool_words const& words() const { return launch_.words_here(); }
  /// Created tasks that have not finished.
  std::uint32_t pending() const { return words().pending + waiting_; }
  pool_halt halt() const { return pool_halt(words().halt); }
  void add_counts(pool_statistics& statistics) const;
  /// Adds the tasks that are in stacks.
  void collect(stream& on, std::vector<stored_task>& into) const;

 private:
  std::shared_ptr<compute_device> device_;
  std::uint32_t workers_, stack_capacity_, tasks_at_once_, max_spawns_;
  join_memory joins_;
  launch_memory launch_;
  device_buffer<stack_bounds> bounds_;
  device_buffer<stored_task> stacks_;
  device_buffer<stored_task> task_buffer_;  ///< for waiting tasks beyond a launch's argument
  std::array<stored_task, max_inline_tasks> inline_tasks_ = {};
  std::uint32_t waiting_ = 0;
  bool joins_are_stale_ = true;  ///< no remaining task refers to a join
  bool was_stopped_ = false;     ///< the last run was stopped, and its joins are kept
};

}  // namespace ballast::detail

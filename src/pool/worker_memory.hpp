// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "join_memory.hpp"
#include "pool_executor.hpp"

namespace ballast::inline pool {

/// What the workers of a resident kernel have, whatever the method: their hands, their counts, their joins.
/// All members only while no worker runs.
class worker_memory {
 public:
  worker_memory(pool_plan const& plan, std::uint32_t workers);

  std::uint32_t workers() const { return std::uint32_t(bounds_.size()); }
  std::size_t bytes() const;

  /// Once for each run, before its first launch. Joins that tasks of a stopped run name stay until another
  /// run was completed.
  void begin_run(stream& on);
  void end_run(bool was_stopped);

  /// Before each launch: so many tasks are pending. Does not wait for the stream.
  void clear(stream& on, std::uint32_t pending);
  /// Without waiting tasks.
  pool_view view() const;

  /// After each launch; then what it left can be asked for.
  void read_back(stream& on);
  pool_words const& words() const { return words_copy_[0]; }
  pool_halt halt() const { return pool_halt(words().halt); }
  void add_counts(pool_statistics& statistics) const;
  /// Adds the tasks that are in hands.
  void collect(stream& on, std::vector<stored_task>& into) const;

 private:
  std::shared_ptr<compute_device> device_;
  std::uint32_t hand_capacity_, tasks_at_once_, most_spawns_;
  join_memory joins_;
  device_buffer<pool_words> words_;
  device_buffer<hand_bounds> bounds_;
  device_buffer<worker_counts> counts_;
  pinned_buffer<pool_words> words_copy_;
  pinned_buffer<worker_counts> counts_copy_;
  device_buffer<stored_task> hands_;
  bool joins_are_stale_ = true;  ///< no task that is left names one
  bool was_stopped_ = false;     ///< the last run
};

/// What a halt means for who asked for the run; empty if tasks did not fit, which is no reason to stop.
std::string_view reason_of(pool_halt halt);

}  // namespace ballast::inline pool

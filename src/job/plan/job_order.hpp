// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "arrays/operations.hpp"
#include "ballast/access_map.hpp"

namespace ballast::detail {

/// How a part of a job uses an array: bytes that it reads and bytes that it writes, which may overlap.
struct array_use {
  array_id array;
  byte_runs read, written;
};

/// True if one of them writes bytes that the other reads or writes.
bool conflict(std::span<array_use const> one, std::span<array_use const> other);

/// Decides which part of a job may be planned: one that conflicts with no unplanned part of an earlier job.
/// The directories order planned parts. Host accesses that wait for their turn are jobs of one unit. A plain
/// state machine; one thread at a time.
class job_order {
 public:
  /// How the units of a part use arrays: monotone, as access maps are. Called for unplanned parts, at most
  /// once for each, when a later job checks for conflicts.
  using uses_of_part = std::function<std::vector<array_use>(job_part)>;

  /// Adds a job with these unplanned units. Throws bad_argument ("job") unless it is newer than all others.
  void add(job_number job, job_part units, uses_of_part uses);
  /// The oldest job before `job` with an unplanned part that conflicts with `uses`; none if the part with
  /// these uses may be planned now. Parts of the oldest job of all always may.
  std::optional<job_number> blocking_job(job_number job, std::span<array_use const> uses);
  /// Marks a part of a job as planned. Throws bad_argument ("part") unless all of its units exist and are
  /// unplanned.
  void mark_planned(job_number job, job_part part);
  /// Drops the unplanned units of a job, and returns them.
  std::vector<job_part> drop(job_number job);
  /// Drops the unplanned ranges of a job, except those whose output an earlier job must still read or write,
  /// and returns them. The other ranges still hold up later jobs.
  std::vector<job_part> drop_behind_earlier(job_number job);

  /// True if all units were planned or dropped.
  bool is_planned(job_number job) const;

 private:
  struct unplanned_range {
    job_part units;
    std::optional<std::vector<array_use>> known_uses = {};
  };
  struct unplanned_job {
    job_number number;
    uses_of_part uses;
    std::vector<unplanned_range> ranges;  ///< in no order

    std::vector<array_use> const& uses_of(unplanned_range& range);
    bool conflicts_with(std::span<array_use const> others);
  };

  std::deque<unplanned_job>::iterator find(job_number job);

  job_number newest_;
  std::deque<unplanned_job> jobs_;  ///< jobs with unplanned units, ascending: usually the oldest leaves first
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ballast/access_map.hpp"
#include "byte_runs.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// The accesses of a part of a job to an array: bytes that it reads and bytes that it writes, which may
/// overlap.
struct array_use {
  array_id array;
  byte_runs read, written;
};

/// True if one of them writes what the other reads or writes.
bool conflict(std::span<array_use const> one, std::span<array_use const> other);

/// Which part of a job may be planned: one that conflicts with nothing that earlier jobs have not planned
/// yet. What is planned is ordered by the directories. Host accesses that wait for their turn are jobs of one
/// unit. A plain state machine; one thread at a time.
class job_order {
 public:
  /// What the units of a part do with arrays: monotone, as access maps are. Asked for parts that are not
  /// planned, and at most once for each, when a later job asks whether it conflicts.
  using uses_of_part = std::function<std::vector<array_use>(job_part)>;

  /// Adds a job, of whose `units` none is planned yet. Throws bad_argument ("job") unless it is newer than
  /// all before.
  void add(job_number job, std::uint32_t units, uses_of_part uses);
  /// The oldest job before `job` with an unplanned part that conflicts with `uses`; none if the part whose
  /// uses these are may be planned now. The oldest job of all always may.
  std::optional<job_number> blocking_job(job_number job, std::span<array_use const> uses);
  /// Throws bad_argument ("part") unless all of its units are there and none of them is planned.
  void mark_planned(job_number job, job_part part);
  /// Gives up what is not planned of a job, and returns it.
  std::vector<job_part> drop(job_number job);
  /// Gives up those unplanned ranges of a job that write nothing that an earlier job has yet to read or
  /// write, and returns them. The others still hold up later jobs.
  std::vector<job_part> drop_behind_earlier(job_number job);

  /// Whether all units were planned or dropped.
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
  std::deque<unplanned_job> jobs_;  ///< ascending; those with unplanned units: mostly the oldest one goes
};

}  // namespace ballast::detail

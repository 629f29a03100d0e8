// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ballast/policy/split.hpp"
#include "split_paced_shares.hpp"
#include "split_run.hpp"
#include "split_shares.hpp"
#include "task_grain.hpp"

namespace ballast::detail {

/// One range of units per device, side by side, so that only their ends lie at other devices' data; how long
/// each is and into how many tasks it is cut follows from the runs before. A kernel of few blocks takes whole
/// waves of them, another one does not: ranges for both are tried, and those that took less stay. Tasks of
/// few blocks are tried once as well.
class learned_ranges {
 public:
  explicit learned_ranges(job_shape const& shape);

  /// Whether anything was learned.
  bool is_known() const { return by_units_.is_known(); }

  /// What each device is to do next.
  device_parts parts(job_shape const& shape);

  /// From a run in ranges.
  void learn(finished_job const& run);
  /// From a run in other parts, before there was one in ranges. The first run in ranges knows better.
  void learn_from_probes(finished_job const& run);

 private:
  struct unit_costs {
    double bytes_in = 0, bytes_out = 0;  ///< without those that were copied because a border moved
    double kernels_ns = 0;
  };

  paced_shares& chosen(job_shape const& shape);
  void learn_times(finished_job const& run);
  void forget_speeds(finished_job const& run);
  std::vector<job_part> tasks_of(std::size_t device, job_part range);
  std::vector<job_part> large_tasks_of(std::size_t device, job_part range) const;
  std::vector<double> busy_ns(finished_job const& run) const;
  std::vector<double> moved_bytes(finished_job const& run) const;
  void record_unit_costs(finished_job const& run);

  job_shape shape_;
  paced_shares by_units_, by_waves_;
  std::vector<task_grain> grains_;  ///< of each device
  bool in_waves_ = false;
  bool forward_ =
      false;  ///< to and fro, so that what a run left in a memory too small is what the next begins with
  std::uint32_t runs_ = 0;  ///< that it learned from
  std::vector<job_part> last_ranges_;
  std::vector<unit_costs> of_unit_;  ///< of each device, in the last run
};

}  // namespace ballast::detail

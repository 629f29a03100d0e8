// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ballast/policy/split.hpp"
#include "job_history.hpp"
#include "split_run.hpp"

namespace ballast::detail {

/// Units of each device by what it does in a step, learned from the runs before.
class paced_shares {
 public:
  paced_shares(job_shape const& shape, std::vector<std::uint32_t> units_per_step)
      : history_(shape, std::move(units_per_step)) {}

  std::vector<std::uint32_t> const& shares() const { return shares_; }
  std::vector<std::uint32_t> const& units_per_step() const { return history_.units_per_step(); }
  /// What a run with these shares takes; 0 if there was none.
  double run_ns() const { return run_ns_; }
  bool is_known() const { return history_.is_known(); }

  /// The next run with these shares tells it anew.
  void forget_time() { run_ns_ = 0; }
  void forget_speeds(finished_job const& run) { history_.forget(run); }
  /// From a run with whatever shares, in which each device was busy so long.
  void learn(finished_job const& run, std::vector<double> const& busy_ns);

  /// To what the speeds say, if that pays for the bytes that have to move: soon after the beginning, when
  /// most is to be gained, or when the runs since then have lost as much as the move costs.
  void move_borders(job_shape const& shape);

  /// Whether shares by these speeds promise so much more than `others` that going there and back would pay.
  bool promise_more_than(std::vector<std::uint32_t> const& others, job_shape const& shape) const;
  /// Whether a run with these has taken so much less than with `others` that changing to them pays. Not as
  /// long as the time with `others` is unknown.
  bool are_better_than(paced_shares const& others, job_shape const& shape) const;

 private:
  /// Of the time of a run, by changing from one to the other; 0 if it is too little to count.
  double gain_ns(std::vector<std::uint32_t> const& from, std::vector<std::uint32_t> const& to) const;
  bool are_of(finished_job const& run) const;

  job_history history_;
  std::vector<std::uint32_t> shares_;
  double run_ns_ = 0;
  double lost_ns_ = 0;  ///< by the runs since there was something to gain
  std::uint32_t runs_ = 0;
};

}  // namespace ballast::detail

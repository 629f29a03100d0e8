// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/launch/merge_policy.hpp"

namespace ballast::detail {

/// True if a launch this long dwarfs the cost of issuing it: others must not wait for it, and a few extra
/// stores do not matter.
inline bool is_long(double ns, launch_costs const& costs) { return ns > 8 * costs.issue_ns; }

/// How much blocks slow each other down through a shared resource. A block that keeps it busy for shared_ns
/// of its block_ns demands that fraction of it. If the running blocks together demand D > 1, those that use
/// it take D times as long. The model runs the blocks in levels of `slots`, each of which begins together
/// when the previous one has ended.
class contention_model {
 public:
  explicit contention_model(double slots) : slots_(slots), left_(slots) {}

  /// Adds blocks of block_ns > 0 each; call it with the longest first.
  void add(double blocks, double block_ns, double shared_ns);

  /// The time for which the device is busy, if it would be busy for `unshared_ns` with nothing shared.
  double busy_ns(double unshared_ns) const;
  /// The fraction of the resource's demand that falls into times when the demand exceeds its capacity.
  double bound_part() const;

 private:
  void place(double blocks, double block_ns, double shared_ns);
  void end_level(double times);
  void accumulate_until(double block_ns, double times);
  double contended_ns(double from_ns) const;

  double slots_, left_;  // left_: of the level
  double demand_ = 0;    // of the level's blocks, together
  double shortest_ns_ = 0;
  double stretch_ns_ = 0, bound_ns_ = 0, needed_ns_ = 0;
};

}  // namespace ballast::detail

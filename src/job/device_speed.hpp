// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::detail {

/// How fast one device carries out steps of one kind, learned from its share of each run.
class device_speed {
 public:
  /// 0 as long as nothing is known.
  double steps_per_ns() const { return steps_per_ns_; }

  /// Half of what was known and half of what is new. Something more than twice or less than half as fast as
  /// known counts only if it comes for the third time in a row, and then alone: it is no outlier but another
  /// speed. Nothing is learned from 0 steps; `busy_ns` above 0.
  void learn(std::uint32_t steps, double busy_ns);

 private:
  bool is_outlier(double steps_per_ns) const;

  double steps_per_ns_ = 0;
  std::uint32_t outliers_in_a_row_ = 0;
};

}  // namespace ballast::detail

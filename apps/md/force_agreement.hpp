// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "atom_result.hpp"
#include "runner.hpp"

namespace ballast::md {

/// How far the solutions agree on the forces at the end of their runs.
class force_agreement {
 public:
  /// `forces`: in the order of ids, as many as every time before.
  void add(solution which, std::vector<atom_result> const& forces);

  /// Whether S1, S3, TQ and chen agree to the bit.
  bool identical() const { return identical_; }
  /// The largest difference of a component from the first solution's, over the root mean square force.
  double largest_difference() const { return largest_difference_; }

 private:
  void record_difference(std::vector<atom_result> const& forces);

  std::vector<atom_result> first_, first_sorted_;
  bool identical_ = true;
  double largest_difference_ = 0;
};

}  // namespace ballast::md

// SPDX-License-Identifier: Apache-2.0
#include "force_agreement.hpp"

#include <algorithm>
#include <cmath>

namespace ballast::md {

void force_agreement::add(solution which, std::vector<atom_result> const& forces) {
  bool const sorted = which != solution::s2;
  if (sorted && first_sorted_.empty()) first_sorted_ = forces;
  if (sorted) identical_ = identical_ && forces == first_sorted_;
  if (first_.empty()) first_ = forces;
  record_difference(forces);
}

void force_agreement::record_difference(std::vector<atom_result> const& forces) {
  double square = 0, most = 0;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    auto const &a = forces[i], &b = first_[i];
    square += b.fx * b.fx + b.fy * b.fy + b.fz * b.fz;
    most = std::max({most, std::abs(a.fx - b.fx), std::abs(a.fy - b.fy), std::abs(a.fz - b.fz)});
  }
  double const usual = std::sqrt(square / static_cast<double>(forces.size()));
  if (usual > 0) largest_difference_ = std::max(largest_difference_, most / usual);
}

}  // namespace ballast::md

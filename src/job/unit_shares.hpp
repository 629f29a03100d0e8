// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "ballast/access_map.hpp"

namespace ballast::detail {

/// Consecutive indices for each unit of a job: `per_unit` of them, the last unit what is left, or equal
/// shares if that is 0.
class unit_shares {
 public:
  /// `map` is told in messages.
  unit_shares(std::string map, std::size_t per_unit) : map_(std::move(map)), per_unit_(per_unit) {}

  /// The share of a part with units, of `size` indices. Throws bad_argument ("map") if the units do not fit.
  index_range of(job_part part, std::uint32_t units, std::size_t size) const;

 private:
  void check(std::uint32_t units, std::size_t size) const;

  std::string map_;
  std::size_t per_unit_;
};

}  // namespace ballast::detail

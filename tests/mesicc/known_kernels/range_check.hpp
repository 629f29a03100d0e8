// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpreted_launch.hpp"
#include "model/launch_plan.hpp"

namespace ballast::mesicc {

/// What a comparison of a plan with what threads did came to, over all parts of a launch.
struct range_check_result {
  std::string
      wrong;  ///< the first part for which a range is too small, or meets another part's; empty if none is
  std::int64_t parts = 0;
  std::int64_t needed = 0;  ///< elements that had to be there before, over all parts
  std::int64_t slack = 0;   ///< elements that are brought and were not needed
};

range_check_result check_ranges(launch_plan const& plan, interpreted_launch const& launch);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/launch_model.hpp"

namespace ballast::mesicc {

/// All integers from low to high. Wide enough for every 64-bit type; values beyond +-2^100 count as
/// unbounded.
struct integer_bounds {
  __extension__ typedef __int128 integer;
  integer low = -unbounded, high = unbounded;

  static constexpr integer unbounded = integer(1) << 100;
  bool within(integer_bounds const& other) const { return low >= other.low && high <= other.high; }
};

/// The bounds of an expression in the threads of a launch in which all `guards` hold.
integer_bounds bounds_of(expression const& value, launch_model const& model,
                         std::vector<condition> const& guards);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include "model/launch_plan.hpp"
#include "part_hull.hpp"

namespace ballast::mesicc {

/// The elements of `hull`, counted from the beginning of the variable, where `limits` hold; empty where the
/// hull is. Throws isl::exception for what no expression can say, or none of a reasonable length.
element_range printable_range(part_hull const& hull, isl::set const& limits);

}  // namespace ballast::mesicc

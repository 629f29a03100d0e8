// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ballast/access_map.hpp"

namespace ballast::detail {

/// Whether two units of a job read something in common.
using read_in_common = std::function<bool(std::uint32_t unit, std::uint32_t other)>;

/// The pieces of a device's part of a job of `units` units, in the order in which they are to be computed:
/// the units at its ends that read what units beyond it read come first, so that what a neighbour will need
/// of them is copied while the rest is computed. The whole part where there are none, or where one end has
/// more than 64 of them or a hundredth of the part. Pure.
std::vector<job_part> boundary_first(job_part part, std::uint32_t units, read_in_common const& meet);

}  // namespace ballast::detail

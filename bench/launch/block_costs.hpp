// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/session.hpp"

namespace ballast::bench {

/// The costs in seconds of a multiply-add step of a level_block on the first device, and of starting a
/// kernel: the step from the difference of two blocks' device times, the start from the time of each of many
/// empty kernels in one stream. Adds both to the record. Waits for some milliseconds.
struct block_costs {
  double step, start;
};
block_costs measured_costs(session& now);

/// The steps of a block for which a start costs this many levels, that is, block times; at least 16.
std::uint32_t steps_for(block_costs const& costs, double start_levels);

}  // namespace ballast::bench

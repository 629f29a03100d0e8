// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/session.hpp"

namespace ballast::bench {

/// What a multiply-add step of a level_block costs on the first device, and what starting a kernel costs, in
/// seconds: the step by the difference of two blocks' device time, the start by the time of each of many
/// empty kernels in one stream. Puts both into the record. Waits for some milliseconds.
struct block_costs {
  double step, start;
};
block_costs measured_costs(session& now);

/// The steps of a block for which a start costs the given number of levels, that is block times; at least 16.
std::uint32_t steps_for(block_costs const& costs, double start_levels);

}  // namespace ballast::bench

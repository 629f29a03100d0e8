// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "harness/session.hpp"
#include "md/comparison.hpp"

namespace ballast::bench {

/// What the devices can do in single precision, in operations per second: SMs x 128 lanes x 2 (a fused
/// multiply-add) x the highest clock that the driver states, summed. Nothing if one is no GPU of the kind
/// that has 128 lanes in an SM (compute capability 9.0 and later), or does not state its clock.
std::optional<double> fp32_peak(device_list const& devices);

/// Adds for each solution which part of that it reached in its median step by all pairs in an open box,
/// counted as pair_formula counts. `result` is of one precision, single.
void derive_fp32_fractions(session& now, std::size_t atoms, md::comparison const& result);

}  // namespace ballast::bench

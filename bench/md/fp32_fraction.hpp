// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "harness/session.hpp"
#include "md/comparison.hpp"

namespace ballast::bench {

/// The devices' peak in single precision, in operations per second: SMs x 128 lanes x 2 (a fused
/// multiply-add) x the highest clock that the driver reports, summed. Nothing if one is not a GPU with 128
/// lanes in an SM (compute capability 9.0 and later), or reports no clock.
std::optional<double> fp32_peak(device_list const& devices);

/// Adds for each solution the fraction of that peak in its median step, for all pairs in an open box, counted
/// as pair_formula counts. `result` must be in single precision.
void derive_fp32_fractions(session& now, std::size_t atoms, md::comparison const& result);

}  // namespace ballast::bench

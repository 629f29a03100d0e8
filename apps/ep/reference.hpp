// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "class.hpp"

namespace ballast::ep {

/// The published benchmark: one stream of random numbers in double precision (randlc, whose products are
/// computed in halves of 23 bits) and one sum, on the calling thread.
tally run_sequentially(std::uint32_t log2_pairs);

}  // namespace ballast::ep

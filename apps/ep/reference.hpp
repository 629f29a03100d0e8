// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "class.hpp"

namespace ballast::ep {

/// The benchmark as it is published: one stream of random numbers in double precision (randlc, whose products
/// are taken in halves of 23 bits), one sum after the other, on the calling thread.
tally run_sequentially(std::uint32_t log2_pairs);

}  // namespace ballast::ep

// SPDX-License-Identifier: Apache-2.0
// Says jobs may write what an array adopts: give it memory that is not const

#include <array>
#include <string>

#include "ballast/shared_array.hpp"

namespace adopted_memory_of_const {

#ifdef CORRECTED
using pointer = float*;
#else
using pointer = float const*;
#endif
auto adopted(pointer first) { return ballast::adopt(first, {8, 8}); }

}

// SPDX-License-Identifier: Apache-2.0
// Says no matching function | no matching conversion

#include <array>

#include "ballast/block.cuh"

namespace array_ref_of_an_array_that_ends {

#ifdef CORRECTED
std::array<int, 2>& numbers();
#else
std::array<int, 2> numbers();
#endif
inline auto refers() { return ballast::array_ref<int>(numbers()); }

}

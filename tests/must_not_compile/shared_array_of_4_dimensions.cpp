// SPDX-License-Identifier: Apache-2.0
// Says a shared array has 1 to 3 dimensions

#include <array>
#include <string>

#include "ballast/shared_array.hpp"

namespace shared_array_of_4_dimensions {

#ifdef CORRECTED
constexpr int rank = 3;
#else
constexpr int rank = 4;
#endif
std::size_t size(ballast::shared_array<float, rank> const& array) { return array.size(); }

}

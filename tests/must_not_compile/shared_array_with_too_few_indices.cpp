// SPDX-License-Identifier: Apache-2.0
// Says give one index for each dimension of the array

#include <array>
#include <string>

#include "ballast/shared_array.hpp"

namespace shared_array_with_too_few_indices {

float at(ballast::shared_array<float, 2> const& array) {
#ifdef CORRECTED
  return array(1, 1);
#else
  return array(1);
#endif
}

}

// SPDX-License-Identifier: Apache-2.0
// Says give one index for each dimension of the view

#include "ballast/array_view.cuh"

namespace array_view_with_too_few_indices {

float at(ballast::array_view<float, 2> const& view) {
#ifdef CORRECTED
  return view(1, 1);
#else
  return view(1);
#endif
}

}

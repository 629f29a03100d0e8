// SPDX-License-Identifier: Apache-2.0
// Says conversion from | could not convert | no viable conversion

#include "ballast/array_view.cuh"

namespace array_view_of_const_elements_made_mutable {

#ifdef CORRECTED
using wanted = ballast::array_view<float const, 2>;
#else
using wanted = ballast::array_view<float, 2>;
#endif
wanted made_of(ballast::array_view<float const, 2> const& view) { return view; }

}

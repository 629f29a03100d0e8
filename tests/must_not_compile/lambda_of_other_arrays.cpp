// SPDX-License-Identifier: Apache-2.0
// Says behind its block the lambda takes an array_ref<T> or array_view<T, RANK> for each array

#include "ballast/job_scheduler.hpp"

namespace lambda_of_other_arrays {

#ifdef CORRECTED
using element = float const;
#else
using element = float;
#endif
auto request(ballast::job_setup const& setup, ballast::shared_array<float> const& array) {
  return ballast::detail::make_request<true>(
      setup, [](ballast::block_of<32> const&, ballast::array_ref<element>) {}, reads(array));
}

}

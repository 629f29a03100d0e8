// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/detail/resident/compile_kernels.cuh"

namespace ballast::test {
using namespace detail;

compiled_kernels const& pool_test_kernels() {
  static auto const list = compile_for<>::list<share_abp, share_chase_lev, share_ring>("pool_test_kernels");
  return list;
}

}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/detail/resident/compile_kernels.cuh"

namespace ballast::test {
using namespace detail;

compiled_kernels const& resident_test_kernels() {
  static auto const list =
      compile_for<counting_source>::list<add, add_count_of_blocks>("resident_test_kernels");
  return list;
}

}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/resident/compile_kernels.cuh"

namespace ballast::test {

compiled_kernels const& resident_test_kernels() {
  static auto const list =
      compile_for<counting_source>::list<add, add_count_of_blocks>("resident_test_kernels");
  return list;
}

}  // namespace ballast::test

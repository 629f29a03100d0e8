// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/detail/device/compile_kernels.cuh"
#include "ballast/detail/resident/worker_loop.cuh"

namespace ballast::test {
using namespace detail;

kernel_set const& resident_test_kernels() {
  static kernel_set const set("resident_test_kernels",
                              {{list_kernel<add>(), list_kernel<add_count_of_blocks>()},
                               {make_entry<kernel_list<add, add_count_of_blocks>, counting_source>()}});
  return set;
}

}  // namespace ballast::test

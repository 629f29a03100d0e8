// SPDX-License-Identifier: Apache-2.0
#include "reduction_kernels.hpp"

#include <stdexcept>

#include "code_of_kernel.cuh"

namespace ballast::test {
namespace {

template <class K>
kernel_code code_of() {
  return code_of_kernel<K>("reductions");
}

template <template <int> class K>
kernel_code code_by(std::uint32_t threads) {
  switch (threads) {
    case 32:
      return code_of<K<32>>();
    case 64:
      return code_of<K<64>>();
    case 96:
      return code_of<K<96>>();
    case 256:
      return code_of<K<256>>();
    case 1024:
      return code_of<K<1024>>();
  }
  throw std::invalid_argument("this number of threads is not compiled");
}

}  // namespace

kernel_code reduce_cases_kernel(std::uint32_t threads) { return code_by<reduce_cases>(threads); }
kernel_code warp_cases_kernel(std::uint32_t threads) { return code_by<warp_cases>(threads); }
kernel_code sparse_rows_kernel() { return code_of<sparse_rows>(); }

}  // namespace ballast::test

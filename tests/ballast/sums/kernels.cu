// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include "ballast/kernels.cuh"

namespace ballast::test {

BALLAST_KERNELS(index_kernels, add_index)
BALLAST_KERNELS(tree_kernels, count_node)

#if defined(__CUDACC__)
namespace {

__global__ void add(std::uint32_t* number, std::uint32_t added) { *number += added; }

}  // namespace

plain_addition add_plainly() { return &add; }
#else
plain_addition add_plainly() { return nullptr; }
#endif

}  // namespace ballast::test

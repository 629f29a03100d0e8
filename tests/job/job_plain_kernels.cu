// SPDX-License-Identifier: Apache-2.0
#include "job_plain_kernels.hpp"

namespace ballast::test {

#if defined(__CUDACC__)
namespace {

__global__ void add(grid_slice slice, std::uint32_t const* from, std::uint32_t* to, std::uint32_t elements,
                    std::uint32_t added) {
  auto const i = slice.thread().x;
  if (i < elements) to[i] = 2 * from[i] + added;
}

__global__ void place(grid_slice slice, std::uint32_t* places, std::uint32_t columns) {
  auto const at = slice.thread();
  if (at.x < columns) places[at.y * columns + at.x] = 1000 * at.y + at.x + slice.grid.y;
}

}  // namespace

add_kernel plain_add() { return &add; }
place_kernel plain_place() { return &place; }
#else
add_kernel plain_add() { return nullptr; }
place_kernel plain_place() { return nullptr; }
#endif

}  // namespace ballast::test

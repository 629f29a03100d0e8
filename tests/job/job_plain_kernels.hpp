// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::test {

/// Plain `__global__` kernels, null where CUDA was not built: `to` becomes twice `from` and `added`, a thread
/// per element; and each thread of a grid of `rows` writes its row and column.
using add_kernel = void (*)(grid_slice, std::uint32_t const* from, std::uint32_t* to, std::uint32_t elements,
                            std::uint32_t added);
using place_kernel = void (*)(grid_slice, std::uint32_t* places, std::uint32_t columns);

add_kernel plain_add();
place_kernel plain_place();

}  // namespace ballast::test

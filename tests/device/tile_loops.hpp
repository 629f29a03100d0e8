// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/device.hpp"
#include "ballast/gpu_function.hpp"
#include "visit_tiles.cuh"

namespace ballast::test {

/// visit_tiles as a launch.
kernel_code visit_tiles_kernel();

/// visit_as_cuda(unsigned* visits, block_counter*, unsigned tiles, block_quantum): the same as a `__global__`
/// function without ballast, for any number of threads; its blocks count themselves in visits[tiles]. None
/// where CUDA was not built.
gpu_function visit_as_cuda_function();
/// Its shape on that GPU, which becomes the calling thread's current one.
loop_shape shape_of_visits(int gpu, std::uint64_t tiles, unsigned threads, std::size_t shared_bytes,
                           loop_options const& options);

}  // namespace ballast::test

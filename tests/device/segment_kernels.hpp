// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/gpu_function.hpp"
#include "ballast/stream.hpp"
#include "segment_kernels.cuh"

namespace ballast::test {

/// The numbers of threads that the following kernels are compiled for; their argument is the kernel, whose
/// members are alike for all of them.
inline constexpr std::uint32_t segment_threads[] = {32, 96, 256, 1024};
kernel_code reduce_fractions_kernel(std::uint32_t threads);
kernel_code reduce_maps_kernel(std::uint32_t threads);
kernel_code combine_pieces_kernel(std::uint32_t threads);
kernel_code cut_there_kernel(std::uint32_t threads);

/// `__global__` functions that use no kernel of ballast, for blocks of 128 threads; their parameter is the
/// kernel above that does the same. None where CUDA was not built.
gpu_function own_reduction();
gpu_function own_combination();

}  // namespace ballast::test

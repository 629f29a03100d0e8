// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/stream.hpp"
#include "reductions.cuh"

namespace ballast::test {

/// The numbers of threads that the following kernels are compiled for.
inline constexpr std::uint32_t reducing_threads[] = {32, 64, 96, 256, 1024};

/// reduce_cases<threads>, warp_cases<threads> and sparse_rows, whose argument is the kernel.
kernel_code reduce_cases_kernel(std::uint32_t threads);
kernel_code warp_cases_kernel(std::uint32_t threads);
kernel_code sparse_rows_kernel();

}  // namespace ballast::test

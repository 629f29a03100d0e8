// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ep/class.hpp"
#include "hotspot/plate.hpp"
#include "job/job_program.hpp"
#include "matmul/shared_product.hpp"

namespace ballast::bench {

/// The programs as one writes them in CUDA without ballast, for comparison with jobs: kernels of their own,
/// with the blocks of the jobs' kernels in a grid of two dimensions, memory from cudaMalloc and
/// cudaMallocHost, one stream. Each is null if CUDA was not built; otherwise they throw ballast::error with
/// CUDA's message.

/// `gpu`: as CUDA numbers them.
std::unique_ptr<job_program> plain_matmul(int gpu, matmul::product_shape const& shape,
                                          matmul::product_kernel with);
/// `of` outlives it.
std::unique_ptr<job_program> plain_ep(int gpu, ep::problem_class const& of);
std::unique_ptr<job_program> plain_hotspot(int gpu, hotspot::plate const& of, std::uint32_t steps);

}  // namespace ballast::bench

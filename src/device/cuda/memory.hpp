// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ballast/device.hpp"
#include "cuda/engine.hpp"

namespace ballast::detail {

/// Memory of the GPU, or page-locked host memory that every GPU of the process addresses. Throws
/// ballast::error with the sizes if there is not enough. The device must have been entered.
void* allocate_cuda_memory(cuda_engine& engine, memory where, std::size_t bytes);
/// Waits for the device, as CUDA does. Never throws.
void release_cuda_memory(cuda_engine& engine, memory where, void* address) noexcept;

}  // namespace ballast::detail

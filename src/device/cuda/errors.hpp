// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "fault.hpp"

namespace ballast::detail {

/// Whether the error ends the context: no later call on the device can succeed.
bool is_sticky(cudaError_t status) noexcept;

/// Returns if `status` is success. Else forgets CUDA's last error and throws: device_lost after an error that
/// ends the context (and notes it), ballast::error naming the device, the call and CUDA's words otherwise.
void require(fault_record& fault, cudaError_t status, std::string_view call);

/// For destructors: notes an error that ends the context, forgets any other.
void require_nothrow(fault_record& fault, cudaError_t status, std::string_view call) noexcept;

}  // namespace ballast::detail

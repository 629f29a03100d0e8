// SPDX-License-Identifier: Apache-2.0
#pragma once

#if BALLAST_HAVE_CUDA
#  include <cuda_runtime_api.h>

#  include <string>

#  include "ballast/error.hpp"

namespace ballast::bench {

/// For the few CUDA calls that only a benchmark makes: throws ballast::error with the call and CUDA's
/// message.
inline void check(cudaError_t code, char const* call) {
  if (code != cudaSuccess) throw error(std::string(call) + ": " + cudaGetErrorString(code));
}

}  // namespace ballast::bench
#endif

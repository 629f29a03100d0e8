// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#  include <nvtx3/nvToolsExt.h>
#  define BALLAST_HAVE_NVTX 1
#else  // some CUDA installations leave the profiler's headers out
#  define BALLAST_HAVE_NVTX 0
#endif

namespace ballast {

#if BALLAST_HAVE_NVTX
nvtx_range::nvtx_range(char const* name) noexcept { nvtxRangePushA(name); }
nvtx_range::~nvtx_range() { nvtxRangePop(); }
#else
nvtx_range::nvtx_range(char const*) noexcept {}
nvtx_range::~nvtx_range() {}
#endif

}  // namespace ballast

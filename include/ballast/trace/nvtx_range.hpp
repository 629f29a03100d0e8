// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::inline trace {

/// Shows a scope by name in NVIDIA's profilers (Nsight Systems, Nsight Compute), on the thread that made it;
/// ranges nest. Costs about nothing when no profiler is attached, and does nothing at all in a build without
/// CUDA. `name` is read by the constructor only.
class nvtx_range {
 public:
#if defined(BALLAST_HAVE_CUDA) && BALLAST_HAVE_CUDA
  explicit nvtx_range(char const* name) noexcept;
  ~nvtx_range();
#else
  explicit nvtx_range(char const*) noexcept {}
  ~nvtx_range() {}  // not defaulted: an object that only marks a scope is no unused variable
#endif
  nvtx_range(nvtx_range const&) = delete;
  nvtx_range& operator=(nvtx_range const&) = delete;
};

}  // namespace ballast::inline trace

// SPDX-License-Identifier: Apache-2.0
#include "device/default_stream.hpp"

#include <string>

#include "ballast/error.hpp"
#include "device/timed.hpp"
#include "harness/cuda_check.hpp"

namespace ballast::bench {

#if BALLAST_HAVE_CUDA
default_stream::default_stream(compute_device const& device) {
  check(cudaSetDevice(device.spec().index), "cudaSetDevice");
}

void default_stream::copy(void* to, void const* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

void default_stream::copy_and_query(void* to, void const* from, std::size_t bytes) {
  auto const until = soon();
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, nullptr), "cudaMemcpyAsync");
  for (auto status = cudaStreamQuery(nullptr); status != cudaSuccess; status = cudaStreamQuery(nullptr)) {
    if (status != cudaErrorNotReady) check(status, "cudaStreamQuery");
    if (until.passed()) throw timed_out("a copy on stream 0", std::to_string(bytes) + " bytes");
  }
}
#else
default_stream::default_stream(compute_device const& device) {
  throw error("stream 0 of " + device.name() + ": CUDA was not built");
}
void default_stream::copy(void*, void const*, std::size_t) {}
void default_stream::copy_and_query(void*, void const*, std::size_t) {}
#endif

}  // namespace ballast::bench

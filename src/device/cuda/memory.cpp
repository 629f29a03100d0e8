// SPDX-License-Identifier: Apache-2.0
#include "cuda/engine.hpp"

#include <string>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

[[noreturn]] void throw_out_of_memory(cuda_engine& engine, memory where, std::size_t bytes) {
  cudaGetLastError();
  auto const wanted = std::to_string(bytes) + " bytes";
  if (where == memory::pinned) throw error("no page-locked host memory for " + wanted);
  std::size_t free = 0, total = 0;
  engine.require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  throw error("no memory for " + wanted + " on " + engine.fault.device() + ", which has " +
              std::to_string(free) + " of " + std::to_string(total) + " bytes free");
}

}  // namespace

void* allocate_cuda_memory(cuda_engine& engine, memory where, std::size_t bytes) {
  void* address = nullptr;
  bool const on_device = where == memory::device;
  auto const status = on_device ? cudaMalloc(&address, bytes)
                                : cudaHostAlloc(&address, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
  if (status == cudaErrorMemoryAllocation) throw_out_of_memory(engine, where, bytes);
  engine.require(status, on_device ? "cudaMalloc" : "cudaHostAlloc");
  return address;
}

void release_cuda_memory(cuda_engine& engine, memory where, void* address) noexcept {
  if (where == memory::pinned) {
    // Host memory is given back after a fault too, where CUDA still does it.
    cudaSetDevice(engine.index);
    require_nothrow(engine.fault, cudaFreeHost(address), "cudaFreeHost");
  } else if (engine.try_enter()) {
    require_nothrow(engine.fault, cudaFree(address), "cudaFree");
  }
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kernels that NVRTC compiles while a test runs, for files with BALLAST_HAVE_CUDA.

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballast/gpu_function.hpp"

namespace ballast::test {

/// NVRTC, which tests do not link, since programs that were packed for a machine of GPUs may find none there.
inline void* nvrtc() {
  static void* const library = [] {
    for (auto const* const name : {"libnvrtc.so.13", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (auto* const found = dlopen(name, RTLD_NOW)) return found;
    return static_cast<void*>(nullptr);
  }();
  return library;
}

/// Two kernels, loaded anew by each object: as a library, which every context shares, and as a module of one
/// GPU. append(log, number) writes `number` behind the others of a log that begins with their count;
/// add_shared(sums, terms, bytes) adds to sums[block] `terms` for each word of `bytes` bytes of its dynamic
/// shared memory, and uses 512 bytes of static shared memory.
class run_time_kernels {
 public:
  explicit run_time_kernels(int gpu) {
    require(cudaSetDevice(gpu));
    auto const code = compiled_for(gpu);
    require(driver<PFN_cuLibraryLoadData_v12000>("cuLibraryLoadData", 12000)(
        &library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    require(driver<PFN_cuModuleLoadData_v2000>("cuModuleLoadData", 2000)(&module_, code.data()));
  }
  run_time_kernels(run_time_kernels const&) = delete;
  run_time_kernels& operator=(run_time_kernels const&) = delete;
  ~run_time_kernels() {
    driver<PFN_cuModuleUnload_v2000>("cuModuleUnload", 2000)(module_);
    driver<PFN_cuLibraryUnload_v12000>("cuLibraryUnload", 12000)(library_);
  }

  native_kernel kernel(char const* name) const {
    CUkernel found = nullptr;
    require(driver<PFN_cuLibraryGetKernel_v12000>("cuLibraryGetKernel", 12000)(&found, library_, name));
    return found;
  }
  native_function function(char const* name) const {
    CUfunction found = nullptr;
    require(driver<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction", 2000)(&found, module_, name));
    return found;
  }

 private:
  static constexpr char source[] = R"(
extern "C" __global__ void append(unsigned* log, unsigned number) {
  if (threadIdx.x != 0) return;
  log[1 + log[0]] = number;
  log[0] += 1;
}
extern "C" __global__ void add_shared(unsigned* sums, unsigned terms, unsigned bytes) {
  extern __shared__ unsigned words[];
  __shared__ unsigned of_threads[128];
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) words[i] = terms;
  __syncthreads();
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) sum += words[bytes / 4 - 1 - i];
  of_threads[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < blockDim.x; ++i) sums[blockIdx.x] += of_threads[i];
})";

  static void require(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
  }
  static void require(CUresult status) { require(static_cast<cudaError_t>(status)); }
  static void require(nvrtcResult status) {
    if (status != NVRTC_SUCCESS) throw std::runtime_error("NVRTC failed: " + std::to_string(status));
  }
  template <class Function>
  static Function driver(char const* name, unsigned version) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found{};
    require(cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found));
    if (address == nullptr) throw std::runtime_error("the driver has no " + std::string(name));
    return reinterpret_cast<Function>(address);
  }
  template <class Function>
  static Function* compiler(char const* name) {
    auto* const address = dlsym(nvrtc(), name);
    if (address == nullptr) throw std::runtime_error("NVRTC has no " + std::string(name));
    return reinterpret_cast<Function*>(address);
  }

  /// Machine code, so that no compiler of the driver is needed.
  static std::vector<char> compiled_for(int gpu) {
    int major = 0, minor = 0;
    require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu));
    require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu));
    auto const chip = "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor);
    char const* const options[] = {chip.c_str()};
    nvrtcProgram program = nullptr;
    require(compiler<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram")(&program, source, "kernels.cu", 0,
                                                                         nullptr, nullptr));
    require(compiler<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram")(program, 1, options));
    std::size_t bytes = 0;
    require(compiler<decltype(nvrtcGetCUBINSize)>("nvrtcGetCUBINSize")(program, &bytes));
    std::vector<char> code(bytes);
    require(compiler<decltype(nvrtcGetCUBIN)>("nvrtcGetCUBIN")(program, code.data()));
    require(compiler<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram")(&program));
    return code;
  }

  CUlibrary library_ = nullptr;
  CUmodule module_ = nullptr;
};

}  // namespace ballast::test

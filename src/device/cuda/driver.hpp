// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <string>

#include "ballast/error.hpp"

namespace ballast::detail {

/// Looks up a function of the driver at run time, so that programs start without a driver. `version` is the
/// first CUDA that has it. Throws ballast::error ("DEVICE: its driver has no NAME; WHO NEEDS IT").
template <class Function>
Function driver_function(std::string const& device, char const* name, unsigned version,
                         std::string const& who_needs_it) {
  void* address = nullptr;
  auto found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050  // CUDA 12.5 added the variant with a version
  auto const status = cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
#else
  static_cast<void>(version);  // that of the toolkit
  auto const status = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess)
    throw error(device + ": its driver has no " + name + "; " + who_needs_it);
  return reinterpret_cast<Function>(address);
}

/// The runtime's errors have the driver's numbers.
inline cudaError_t as_runtime_error(CUresult status) { return static_cast<cudaError_t>(status); }

/// The driver's functions that run kernels by their handles. The runtime accepts a cudaKernel_t as the
/// address of a `__global__` function, but not a CUfunction.
struct kernel_calls {
  explicit kernel_calls(std::string const& device)
      : get_function(of<PFN_cuKernelGetFunction_v12000>(device, "cuKernelGetFunction", 12000)),
        load(of<PFN_cuFuncLoad_v12040>(device, "cuFuncLoad", 12040)),
        get_attribute(of<PFN_cuFuncGetAttribute_v2020>(device, "cuFuncGetAttribute", 2020)),
        set_attribute(of<PFN_cuFuncSetAttribute_v9000>(device, "cuFuncSetAttribute", 9000)),
        count_blocks(of<PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050>(
            device, "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050)),
        launch(of<PFN_cuLaunchKernelEx_v11060>(device, "cuLaunchKernelEx", 11060)),
        add_node(of<PFN_cuGraphAddKernelNode_v12000>(device, "cuGraphAddKernelNode", 12000)),
        set_node(
            of<PFN_cuGraphExecKernelNodeSetParams_v12000>(device, "cuGraphExecKernelNodeSetParams", 12000)) {}

  PFN_cuKernelGetFunction_v12000 get_function;
  PFN_cuFuncLoad_v12040 load;
  PFN_cuFuncGetAttribute_v2020 get_attribute;
  PFN_cuFuncSetAttribute_v9000 set_attribute;
  PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 count_blocks;
  PFN_cuLaunchKernelEx_v11060 launch;
  PFN_cuGraphAddKernelNode_v12000 add_node;
  PFN_cuGraphExecKernelNodeSetParams_v12000 set_node;

 private:
  template <class Function>
  static Function of(std::string const& device, char const* name, unsigned version) {
    return driver_function<Function>(device, name, version, "kernels need one of CUDA 12.4 or later");
  }
};

/// The driver's functions, looked up once. The device must have been entered.
inline kernel_calls const& kernel_calls_of_driver(std::string const& device) {
  static kernel_calls const calls(device);
  return calls;
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "cuda/sm_partition.hpp"

#include <cudaTypedefs.h>

#include <string>

#include "ballast/error.hpp"
#include "cuda/errors.hpp"
#include "sm_counts.hpp"

// CUDA 12.4 has green contexts, but neither streams of them nor cudaGetDriverEntryPointByVersion: 12.5 added
// both.
#if CUDART_VERSION >= 12050

namespace ballast::detail {
namespace {

/// Found at run time, so that programs start without a driver. `version` is the first CUDA that has it.
template <class Function>
Function driver_function(fault_record& fault, char const* name, unsigned version) {
  void* address = nullptr;
  auto found = cudaDriverEntryPointSymbolNotFound;
  auto const status = cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess)
    throw error(fault.device() + ": its driver has no " + name +
                "; parts of a GPU need one of CUDA 12.5 or later");
  return reinterpret_cast<Function>(address);
}

struct green_context_api {
  explicit green_context_api(fault_record& fault)
      : get_device(driver_function<PFN_cuDeviceGet_v2000>(fault, "cuDeviceGet", 2000)),
        get_resource(
            driver_function<PFN_cuDeviceGetDevResource_v12040>(fault, "cuDeviceGetDevResource", 12040)),
        split(driver_function<PFN_cuDevSmResourceSplitByCount_v12040>(fault, "cuDevSmResourceSplitByCount",
                                                                      12040)),
        describe(
            driver_function<PFN_cuDevResourceGenerateDesc_v12040>(fault, "cuDevResourceGenerateDesc", 12040)),
        create(driver_function<PFN_cuGreenCtxCreate_v12040>(fault, "cuGreenCtxCreate", 12040)),
        destroy(driver_function<PFN_cuGreenCtxDestroy_v12040>(fault, "cuGreenCtxDestroy", 12040)),
        make_stream(
            driver_function<PFN_cuGreenCtxStreamCreate_v12050>(fault, "cuGreenCtxStreamCreate", 12050)) {}

  PFN_cuDeviceGet_v2000 get_device;
  PFN_cuDeviceGetDevResource_v12040 get_resource;
  PFN_cuDevSmResourceSplitByCount_v12040 split;
  PFN_cuDevResourceGenerateDesc_v12040 describe;
  PFN_cuGreenCtxCreate_v12040 create;
  PFN_cuGreenCtxDestroy_v12040 destroy;
  PFN_cuGreenCtxStreamCreate_v12050 make_stream;
};

/// Looked up once.
green_context_api const& green_context_api_of_driver(fault_record& fault) {
  static green_context_api const calls(fault);
  return calls;
}

/// The runtime's errors have the driver's numbers.
void require(fault_record& fault, CUresult status, std::string_view call) {
  require(fault, static_cast<cudaError_t>(status), call);
}

/// A part of at least so many; of none if the driver refuses.
CUdevResource_v1 part_of(green_context_api const& driver, CUdevResource_v1 const& all, int multiprocessors) {
  CUdevResource_v1 part{};
  unsigned groups = 1;
  if (driver.split(&part, &groups, &all, nullptr, 0, unsigned(multiprocessors)) != CUDA_SUCCESS ||
      groups != 1)
    return {};
  return part;
}

[[noreturn]] void throw_bad_count(fault_record& fault, green_context_api const& driver,
                                  CUdevResource_v1 const& all) {
  auto const counts =
      sm_counts(int(all.sm.smCount), [&](int asked) { return int(part_of(driver, all, asked).sm.smCount); });
  throw_bad_argument(
      "devices", fault.device(),
      description(counts) + " of this GPU's " + std::to_string(all.sm.smCount) + " multiprocessors");
}

}  // namespace

sm_partition::sm_partition(int gpu, int multiprocessors, fault_record& fault) : fault_(fault) {
  auto const& driver = green_context_api_of_driver(fault);
  CUdevice device{};
  require(fault, driver.get_device(&device, gpu), "cuDeviceGet");
  CUdevResource_v1 all{};
  require(fault, driver.get_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
  auto part = part_of(driver, all, multiprocessors);
  if (part.sm.smCount != unsigned(multiprocessors)) throw_bad_count(fault, driver, all);
  CUdevResourceDesc description{};
  require(fault, driver.describe(&description, &part, 1), "cuDevResourceGenerateDesc");
  require(fault, driver.create(&context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
          "cuGreenCtxCreate");
}

sm_partition::~sm_partition() {
  try {
    require(fault_, green_context_api_of_driver(fault_).destroy(context_), "cuGreenCtxDestroy");
  } catch (std::exception const&) {
    // A destructor has nobody to tell; the next call on the device reports a fault.
  }
}

cudaStream_t sm_partition::make_stream() {
  auto const& driver = green_context_api_of_driver(fault_);
  std::lock_guard const hold(mutex_);
  CUstream stream = nullptr;
  require(fault_, driver.make_stream(&stream, context_, CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate");
  return stream;
}

}  // namespace ballast::detail

#else

namespace ballast::detail {

sm_partition::sm_partition(int, int, fault_record& fault) : fault_(fault) {
  throw error(fault.device() +
              ": parts of a GPU need a ballast that was built with CUDA 12.5 or later; this one " +
              "was with 12.4");
}

sm_partition::~sm_partition() = default;

cudaStream_t sm_partition::make_stream() { return nullptr; }  // there is none to be asked

}  // namespace ballast::detail

#endif

// SPDX-License-Identifier: Apache-2.0
#include "cuda/engine.hpp"

#include <cudaTypedefs.h>

#include <algorithm>
#include <exception>
#include <string>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr cudaError_t sticky_errors[] = {cudaErrorIllegalAddress,
                                         cudaErrorLaunchFailure,
                                         cudaErrorLaunchTimeout,
                                         cudaErrorHardwareStackError,
                                         cudaErrorIllegalInstruction,
                                         cudaErrorMisalignedAddress,
                                         cudaErrorInvalidAddressSpace,
                                         cudaErrorInvalidPc,
                                         cudaErrorAssert,
                                         cudaErrorECCUncorrectable,
                                         cudaErrorNvlinkUncorrectable,
                                         cudaErrorContextIsDestroyed,
                                         cudaErrorExternalDevice,
                                         cudaErrorMpsClientTerminated,
#if CUDART_VERSION >= 12080  // added in CUDA 12.8
                                         cudaErrorContained,
                                         cudaErrorTensorMemoryLeak,
#endif
                                         cudaErrorUnknown};

std::string failure_text(cudaError_t status, std::string_view call) {
  return std::string(call) + " failed: " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
}

}  // namespace

bool is_sticky(cudaError_t status) noexcept {
  return std::ranges::find(sticky_errors, status) != std::end(sticky_errors);
}

void require(fault_record& fault, cudaError_t status, std::string_view call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  auto words = failure_text(status, call);
  if (!is_sticky(status)) throw error(fault.device() + ": " + words);
  fault.record(std::move(words));
  fault.check();
}

void require_nothrow(fault_record& fault, cudaError_t status, std::string_view call) noexcept {
  if (status == cudaSuccess || status == cudaErrorNotReady) return;
  try {
    require(fault, status, call);
  } catch (std::exception const&) {
    // A destructor has nobody to tell; the next call on the device reports a fault.
  }
}

// CUDA 12.4 has green contexts, but neither streams of them nor cudaGetDriverEntryPointByVersion: 12.5 added
// both.
#if CUDART_VERSION >= 12050
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

#else

sm_partition::sm_partition(int, int, fault_record& fault) : fault_(fault) {
  throw error(fault.device() +
              ": parts of a GPU need a ballast that was built with CUDA 12.5 or later; this one " +
              "was with 12.4");
}

sm_partition::~sm_partition() = default;

cudaStream_t sm_partition::make_stream() { return nullptr; }  // there is none to be asked

#endif

compute_capability capability_of(int gpu, fault_record& fault) {
  compute_capability found;
  require(fault, cudaDeviceGetAttribute(&found.major, cudaDevAttrComputeCapabilityMajor, gpu),
          "cudaDeviceGetAttribute");
  require(fault, cudaDeviceGetAttribute(&found.minor, cudaDevAttrComputeCapabilityMinor, gpu),
          "cudaDeviceGetAttribute");
  return found;
}

cuda_engine::cuda_engine(int gpu, std::string const& name, int limited_to) : index(gpu), fault(name) {
  enter();
  require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, index),
          "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&max_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index),
          "cudaDeviceGetAttribute");
  if (limited_to != 0) {
    part_ = std::make_unique<sm_partition>(index, limited_to, fault);
    multiprocessors = limited_to;
  }
  require(cudaStreamCreateWithFlags(&probe_stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

cuda_engine::~cuda_engine() {
  if (!try_enter()) return;
  for (auto const& unused : unused_events_)
    for (auto const event : unused) require_nothrow(fault, cudaEventDestroy(event), "cudaEventDestroy");
  require_nothrow(fault, cudaStreamDestroy(probe_stream_), "cudaStreamDestroy");
}

void cuda_engine::enter() {
  fault.check();
  require(cudaSetDevice(index), "cudaSetDevice");
}

bool cuda_engine::try_enter() noexcept {
  if (fault.lost()) return false;
  auto const status = cudaSetDevice(index);
  require_nothrow(fault, status, "cudaSetDevice");
  return status == cudaSuccess;
}

void cuda_engine::require_kernel(cudaError_t status, std::string_view call, std::string_view kernel) {
  if (status == cudaSuccess) return;
  if (status != cudaErrorNoKernelImageForDevice)
    return require(status, std::string(call) + " of kernel " + std::string(kernel));
  cudaGetLastError();
  throw error(fault.device() + ": " + describe_missing_kernel(kernel, capability_of(index, fault)));
}

cudaStream_t cuda_engine::make_stream() {
  if (part_) return part_->make_stream();
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

cudaEvent_t cuda_engine::acquire_event(event_kind kind) {
  {
    std::lock_guard const hold(mutex_);
    auto& unused = unused_events_[std::size_t(kind)];
    if (!unused.empty()) {
      auto const event = unused.back();
      unused.pop_back();
      return event;
    }
  }
  auto const flags = kind == event_kind::timed ? cudaEventDefault : cudaEventDisableTiming;
  cudaEvent_t event = nullptr;
  require(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event;
}

void cuda_engine::release_event(cudaEvent_t event, event_kind kind) noexcept {
  if (kind == event_kind::adopted) return;
  std::lock_guard const hold(mutex_);
  try {
    unused_events_[std::size_t(kind)].push_back(event);
  } catch (std::bad_alloc const&) { require_nothrow(fault, cudaEventDestroy(event), "cudaEventDestroy"); }
}

kernel_resources cuda_engine::resources(kernel_code const& code) {
  if (code.cuda_function == nullptr)
    throw error("kernel " + std::string(code.name) + " was compiled without a GPU function");
  std::lock_guard const hold(mutex_);
  auto const known = kernels_.find(code.cuda_function);
  if (known != kernels_.end() && known->second.threads == code.threads &&
      known->second.scratch_bytes == code.scratch_bytes)
    return known->second.found;
  auto const found = load(code);
  kernels_[code.cuda_function] = {code.threads, code.scratch_bytes, found};
  return found;
}

kernel_resources cuda_engine::load(kernel_code const& code) {
  auto const attributes = attributes_of(code.cuda_function, code.name);
  allow_shared(code.cuda_function, code.name, code.scratch_bytes, attributes);
  kernel_resources found;
  found.registers = attributes.numRegs;
  found.spill_bytes = int(attributes.localSizeBytes);
  found.static_shared_bytes = int(attributes.sharedSizeBytes);
  require_kernel(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found.blocks_per_multiprocessor, code.cuda_function,
                                                    int(code.threads), code.scratch_bytes),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor", code.name);
  return found;
}

void cuda_engine::prepare(plain_launch const& launch) {
  if (launch.function == nullptr)
    throw_bad_argument("function", "null",
                       "the address of the __global__ function " + std::string(launch.name));
  auto const bytes = launch.shape.shared_bytes;
  if (bytes == 0) return;
  std::lock_guard const hold(mutex_);
  auto& prepared_bytes = prepared_shared_bytes_[launch.function];
  if (bytes <= prepared_bytes) return;
  allow_shared(launch.function, launch.name, bytes, attributes_of(launch.function, launch.name));
  prepared_bytes = bytes;
}

cudaFuncAttributes cuda_engine::attributes_of(void const* function, std::string_view name) {
  cudaFuncAttributes attributes{};
  require_kernel(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes", name);
  return attributes;
}

// More than what is allowed unasked must be asked for. A kernel launched with two sizes keeps the larger.
void cuda_engine::allow_shared(void const* function, std::string_view name, std::uint32_t bytes,
                               cudaFuncAttributes const& attributes) {
  if (bytes <= std::size_t(attributes.maxDynamicSharedSizeBytes)) return;
  auto const most = std::size_t(max_shared_bytes) - attributes.sharedSizeBytes;
  if (bytes > most)
    throw error("kernel " + std::string(name) + " needs " + std::to_string(bytes) +
                " bytes of scratch (dynamic shared memory), and a block of " + fault.device() +
                " has at most " + std::to_string(most));
  require_kernel(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)),
                 "cudaFuncSetAttribute", name);
}

void cuda_engine::probe() {
  enter();
  require(cudaStreamQuery(probe_stream_), "the last work");
}

}  // namespace ballast::detail

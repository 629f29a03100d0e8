// SPDX-License-Identifier: Apache-2.0
#include "cuda/engine.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <numeric>
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

[[noreturn]] void throw_out_of_memory(cuda_engine& engine, memory where, std::size_t bytes) {
  cudaGetLastError();
  auto const wanted = counted(bytes, "byte");
  if (where == memory::pinned) throw error("no page-locked host memory for " + wanted);
  std::size_t free = 0, total = 0;
  engine.require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  throw error("no memory for " + wanted + " on " + engine.fault.device() + ", which has " +
              std::to_string(free) + " of " + std::to_string(total) + " bytes free");
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
    // A destructor cannot report the error; if it is a fault, the next call on the device does.
  }
}

compute_capability capability_of(int gpu, fault_record& fault) {
  compute_capability found;
  require(fault, cudaDeviceGetAttribute(&found.major, cudaDevAttrComputeCapabilityMajor, gpu),
          "cudaDeviceGetAttribute");
  require(fault, cudaDeviceGetAttribute(&found.minor, cudaDevAttrComputeCapabilityMinor, gpu),
          "cudaDeviceGetAttribute");
  return found;
}

cuda_engine::cuda_engine(int gpu, std::string const& name, std::unique_ptr<sm_partition> part)
    : index(gpu), fault(name), claimant(part ? part->claimant : resident_claimant()), part_(std::move(part)) {
  enter();
  calls = &kernel_calls_of_driver(name);
  require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, index),
          "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&max_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index),
          "cudaDeviceGetAttribute");
  if (part_) multiprocessors = part_->multiprocessors;
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
  auto const called = std::string(call) + " of kernel " + std::string(kernel);
  if (is_sticky(status)) return require(status, called);
  cudaGetLastError();
  auto const cause = status == cudaErrorNoKernelImageForDevice
                         ? describe_missing_kernel(kernel, capability_of(index, fault))
                         : failure_text(status, called);
  throw kernel_failed(fault.device() + ": " + cause, std::string(kernel), fault.device());
}

cudaStream_t cuda_engine::make_stream(stream_priority priority) {
  int lowest = 0, highest = 0;
  if (priority == stream_priority::highest)
    require(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  if (part_) return part_->make_stream(fault, highest);
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest),
          "cudaStreamCreateWithPriority");
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

loaded_kernel cuda_engine::loaded(kernel_code const& code) {
  if (!code.cuda_function)
    throw error("kernel " + std::string(code.name) + " was compiled without a GPU function");
  std::lock_guard const hold(mutex_);
  auto const known = kernels_.find(code.cuda_function.identity());
  if (known != kernels_.end() && known->second.threads == code.threads &&
      known->second.scratch_bytes == code.scratch_bytes)
    return known->second;
  auto const handle = handle_of(code.cuda_function, code.name);
  auto const kernel = load(code, function_of(handle, code.name));
  // Another module may get the handle of one that was unloaded.
  if (handle.is_of_program) kernels_[code.cuda_function.identity()] = kernel;
  return kernel;
}

loaded_kernel cuda_engine::load(kernel_code const& code, CUfunction function) {
  allow_shared(function, code.name, code.scratch_bytes);
  auto const attribute = [&](CUfunction_attribute which) { return attribute_of(function, which, code.name); };
  kernel_resources found;
  found.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  found.spill_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  found.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  require_kernel(
      calls->count_blocks(&found.blocks_per_multiprocessor, function, int(code.threads), code.scratch_bytes),
      "cuOccupancyMaxActiveBlocksPerMultiprocessor", code.name);
  // Not the GPU's own capability: the driver may have compiled PTX of an earlier one, which does not wait.
  bool const can_wait = attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION) >= 90;
  return {function, code.threads, code.scratch_bytes, found, can_wait};
}

CUfunction cuda_engine::prepare(plain_launch const& launch) {
  if (!launch.function)
    throw_bad_argument("function", "null",
                       "the __global__ function " + std::string(launch.name) + ", or a handle of it");
  auto const bytes = launch.shape.shared_bytes;
  auto const handle = handle_of(launch.function, launch.name);
  // A CUkernel in place of a CUfunction is launched in the stream's context.
  if (bytes == 0) return handle.function ? handle.function : reinterpret_cast<CUfunction>(handle.kernel);
  std::lock_guard const hold(mutex_);
  prepared_kernel unknown;  // as another module may get the handle of one that was unloaded
  auto& kernel = handle.is_of_program ? prepared_[launch.function.identity()] : unknown;
  if (bytes <= kernel.shared_bytes) return kernel.function;
  auto const function = function_of(handle, launch.name);
  allow_shared(function, launch.name, bytes);
  kernel = {function, bytes};
  return function;
}

CUfunction cuda_engine::function_of(gpu_function const& function, std::string_view name) {
  return function_of(handle_of(function, name), name);
}

driver_handle cuda_engine::handle_of(gpu_function const& function, std::string_view name) {
  driver_handle found;
  require_kernel(static_cast<cudaError_t>(function.find(found)), "cudaGetKernel", name);
  return found;
}

// Loading may wait for the device, so it must not happen at the first launch.
CUfunction cuda_engine::function_of(driver_handle const& handle, std::string_view name) {
  auto function = handle.function;
  if (function == nullptr)
    require_kernel(calls->get_function(&function, handle.kernel), "cuKernelGetFunction", name);
  require_kernel(calls->load(function), "cuFuncLoad", name);
  return function;
}

int cuda_engine::attribute_of(CUfunction function, CUfunction_attribute which, std::string_view name) {
  int value = 0;
  require_kernel(calls->get_attribute(&value, which, function), "cuFuncGetAttribute", name);
  return value;
}

// Shared memory above the default limit must be requested. A kernel launched with two sizes keeps the larger.
void cuda_engine::allow_shared(CUfunction function, std::string_view name, std::uint32_t bytes) {
  constexpr auto allowed = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  if (bytes <= std::size_t(attribute_of(function, allowed, name))) return;
  auto const most = std::size_t(max_shared_bytes) -
                    std::size_t(attribute_of(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, name));
  if (bytes > most)
    throw kernel_failed("kernel " + std::string(name) + " needs " + std::to_string(bytes) +
                            " bytes of scratch (dynamic shared memory), and a block of " + fault.device() +
                            " has at most " + std::to_string(most),
                        std::string(name), fault.device());
  require_kernel(calls->set_attribute(function, allowed, int(bytes)), "cuFuncSetAttribute", name);
}

void cuda_engine::probe() {
  enter();
  require(cudaStreamQuery(probe_stream_), "the last work");
}

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
    // Frees host memory also after a fault, if CUDA still does so.
    cudaSetDevice(engine.index);
    require_nothrow(engine.fault, cudaFreeHost(address), "cudaFreeHost");
  } else if (engine.try_enter()) {
    require_nothrow(engine.fault, cudaFree(address), "cudaFree");
  }
}

gate_words* gate_words::of(cuda_engine& engine) {
  static std::mutex mutex;
  static auto* const by_gpu = new std::map<int, gate_words*>;
  std::lock_guard const hold(mutex);
  auto& known = (*by_gpu)[engine.index];
  if (known == nullptr) known = new gate_words(engine);
  return known;
}

gate_words::gate_words(cuda_engine& engine)
    : wait_at_(driver_function<PFN_cuStreamWaitValue32_v11070>(engine.fault.device(), "cuStreamWaitValue32",
                                                               11070, "waits for completions need it")),
      words_(static_cast<std::uint32_t*>(
          allocate_cuda_memory(engine, memory::pinned, count * sizeof(std::uint32_t)))),
      opens_at_(count),
      unused_(count) {
  std::fill_n(words_, count, 0u);
  std::iota(unused_.begin(), unused_.end(), 0u);
}

/// Holds no mutex while it enqueues: a stream with a full queue may accept the wait only after another gate
/// was opened.
std::uint32_t gate_words::enqueue(cuda_engine& engine, cudaStream_t in) {
  auto const [word, opens_at] = take(engine.fault.device());
  auto const address = reinterpret_cast<CUdeviceptr>(words_ + word);
  auto const status = as_runtime_error(wait_at_(in, address, opens_at, CU_STREAM_WAIT_VALUE_GEQ));
  if (status == cudaSuccess) return word;
  open(word);
  engine.require(status, "cuStreamWaitValue32");
  return word;
}

gate_words::gate gate_words::take(std::string const& device) {
  std::lock_guard const hold(mutex_);
  if (unused_.empty())
    throw error(device + ": its streams wait for " + std::to_string(count) +
                " completions, which is the most at a time");
  auto const word = unused_.back();
  unused_.pop_back();
  return {word, ++opens_at_[word]};
}

void gate_words::open(std::uint32_t word) noexcept {
  std::lock_guard const hold(mutex_);
  std::atomic_ref(words_[word]).store(opens_at_[word], std::memory_order_release);
  unused_.push_back(word);  // has capacity: the word came from there
}

}  // namespace ballast::detail

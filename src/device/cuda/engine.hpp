// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "cuda/driver.hpp"
#include "device_choice.hpp"
#include "device_state.hpp"

namespace ballast::detail {

/// Some of a GPU's multiprocessors: kernels in its streams run on no others. It is a green context, which has
/// its own streams but shares memory, events, modules and peers with the GPU's primary context.
class sm_partition {
 public:
  /// Takes over the context. `claimant` claims the GPU for a resident kernel on this part.
  sm_partition(CUgreenCtx context, int multiprocessors, resident_claimant claimant)
      : multiprocessors(multiprocessors), claimant(claimant), context_(context) {}
  sm_partition& operator=(sm_partition&&) = delete;
  /// Destroys the context; call it after the context's streams have been destroyed.
  ~sm_partition();

  /// A stream that does not wait for the default stream; CUDA's usual priority is 0. Any thread may call.
  cudaStream_t make_stream(fault_record& fault, int priority);

  int const multiprocessors;
  resident_claimant const claimant;

 private:
  std::mutex mutex_;  ///< only one thread at a time may use a green context
  CUgreenCtx context_;
};

/// The parts that the list names, each at its spec's index; null for specs that are no part. The parts of a
/// GPU come from one split, so they are disjoint; parts from another call may have the same multiprocessors.
/// Throws bad_argument ("devices") as plan_parts(), ballast::error if the driver makes no parts.
std::vector<std::unique_ptr<sm_partition>> split_gpus(std::span<device_spec const> specs);

/// True if the error ends the context: no later call on the device can succeed.
bool is_sticky(cudaError_t status) noexcept;

/// Returns if `status` is success. Otherwise clears CUDA's last error and throws: after an error that ends
/// the context it records the fault and throws device_lost; otherwise ballast::error with the device, the
/// call and CUDA's message.
void require(fault_record& fault, cudaError_t status, std::string_view call);

/// require() for destructors: records an error that ends the context, ignores any other.
void require_nothrow(fault_record& fault, cudaError_t status, std::string_view call) noexcept;

/// The engine lends timed events, and untimed ones, which are cheaper to record and to query. Adopted events
/// belong to the caller.
enum class event_kind { timed, untimed, adopted };

/// Which kernels start first when several wait for free SMs.
enum class stream_priority { usual, highest };

/// Reads the compute capability of a GPU. Makes no context. Throws ballast::error if the GPU does not answer.
compute_capability capability_of(int gpu, fault_record& fault);

/// A kernel that was loaded on a GPU, and the limits for which it was loaded.
struct loaded_kernel {
  CUfunction function;
  std::uint32_t threads, scratch_bytes;
  kernel_resources found;
  bool can_overlap;  ///< compiled for a compute capability that can wait for the previous launch
};

class cuda_engine;

/// Words of pinned memory at which streams of a GPU wait until the host opens them. A word is reused as soon
/// as it was opened: a stream that has not seen it open yet also passes at any later value. Any thread may
/// call any member.
class gate_words {
 public:
  static constexpr std::uint32_t count = 256;

  /// The words of the engine's GPU, which live until the process ends, since freeing them would wait for
  /// resident kernels. Allocating them would wait too, but the first device of a GPU does that, before any
  /// resident kernel can start. The GPU must have been entered.
  static gate_words* of(cuda_engine& engine);

  explicit gate_words(cuda_engine& engine);

  /// Makes the stream wait at a word, and returns the word's number. Throws error if none is free. Blocks
  /// while the stream is full, as a launch does. The GPU must have been entered.
  std::uint32_t enqueue(cuda_engine& engine, cudaStream_t in);
  /// Opens the word. Called once for each enqueue().
  void open(std::uint32_t word) noexcept;

 private:
  struct gate {
    std::uint32_t word, opens_at;
  };

  gate take(std::string const& device);

  PFN_cuStreamWaitValue32_v11070 const wait_at_;
  std::uint32_t* const words_;
  std::mutex mutex_;
  std::vector<std::uint32_t> opens_at_;  ///< for each word, the value that opens it
  std::vector<std::uint32_t> unused_;
};

/// The state that a GPU shares with its streams and events: its fault, unused events, and loaded kernels. Any
/// thread may call any member.
class cuda_engine {
 public:
  /// The engine of a part of the GPU; null stands for the whole GPU.
  cuda_engine(int index, std::string const& name, std::unique_ptr<sm_partition> part);
  cuda_engine& operator=(cuda_engine&&) = delete;
  ~cuda_engine();

  /// Throws if the device is lost. Otherwise makes it the calling thread's current device.
  void enter();
  /// enter() for destructors: returns false if the device is lost or cannot be entered.
  bool try_enter() noexcept;
  void require(cudaError_t status, std::string_view call) { detail::require(fault, status, call); }
  /// require() for a call with a kernel, which may not have been compiled for this GPU.
  void require_kernel(cudaError_t status, std::string_view call, std::string_view kernel);
  void require_kernel(CUresult status, std::string_view call, std::string_view kernel) {
    require_kernel(as_runtime_error(status), call, kernel);
  }

  /// Makes a stream for ballast alone, on this part of the GPU. The device must have been entered.
  cudaStream_t make_stream(stream_priority priority);
  /// Lends an event, timed or untimed.
  cudaEvent_t acquire_event(event_kind kind);
  /// Takes back a lent event; leaves an adopted one to its owner.
  void release_event(cudaEvent_t event, event_kind kind) noexcept;

  /// Loads the kernel, allows its scratch, and asks how many blocks fit; once per scratch size for a
  /// `__global__` function. The device must have been entered.
  loaded_kernel loaded(kernel_code const& code);
  /// Loads the function in the GPU's context, and returns it. The device must have been entered.
  CUfunction function_of(gpu_function const& function, std::string_view name);
  /// Allows the launch's kernel its shared memory, for a `__global__` function once per greater size, and
  /// returns the argument for cuLaunchKernelEx. Throws bad_argument ("function") if there is none. The device
  /// must have been entered.
  CUfunction prepare(plain_launch const& launch);
  /// Checks an idle stream for a fault; does not synchronise.
  void probe();

  int const index;
  fault_record fault;
  resident_claimant const claimant;  ///< the part, or the whole GPU
  int multiprocessors = 0;           ///< SMs of the part, or of the whole GPU
  int max_shared_bytes = 0;          ///< per block, static and dynamic, with opt-in
  kernel_calls const* calls = nullptr;
  gate_words* gates = nullptr;  ///< the GPU's, once its device is open

 private:
  struct prepared_kernel {
    CUfunction function = nullptr;
    std::uint32_t shared_bytes = 0;
  };

  loaded_kernel load(kernel_code const& code, CUfunction function);
  driver_handle handle_of(gpu_function const& function, std::string_view name);
  CUfunction function_of(driver_handle const& handle, std::string_view name);
  int attribute_of(CUfunction function, CUfunction_attribute which, std::string_view name);
  void allow_shared(CUfunction function, std::string_view name, std::uint32_t bytes);

  std::mutex mutex_;
  std::array<std::vector<cudaEvent_t>, 2> unused_events_;  ///< by kind
  std::map<void const*, loaded_kernel> kernels_;           ///< kernels of the program, by
                                                           ///< gpu_function::identity()
  std::map<void const*, prepared_kernel> prepared_;        ///< plain kernels of the program
  cudaStream_t probe_stream_ = nullptr;
  std::unique_ptr<sm_partition> part_;  ///< null: the whole GPU
};

/// Allocates memory of the GPU, or page-locked host memory that every GPU of the process addresses. Throws
/// ballast::error with the sizes if there is not enough. The device must have been entered.
void* allocate_cuda_memory(cuda_engine& engine, memory where, std::size_t bytes);
/// Frees the memory; waits for the device, as CUDA does. Never throws.
void release_cuda_memory(cuda_engine& engine, memory where, void* address) noexcept;

}  // namespace ballast::detail

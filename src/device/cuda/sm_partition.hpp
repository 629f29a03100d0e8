// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

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

}  // namespace ballast::detail

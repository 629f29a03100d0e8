// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <mutex>

#include "fault.hpp"

namespace ballast::detail {

/// Some of a GPU's multiprocessors: kernels in its streams run on no others. It is a green context, which
/// shares memory, events, modules and peers with the GPU's primary context: only streams are its own.
class sm_partition {
 public:
  /// The calling thread has entered the GPU. Throws bad_argument ("devices") with the legal counts if the
  /// driver makes no part of exactly so many, ballast::error if it makes no parts.
  sm_partition(int gpu, int multiprocessors, fault_record& fault);
  sm_partition(sm_partition const&) = delete;
  sm_partition& operator=(sm_partition const&) = delete;
  /// Its streams are gone.
  ~sm_partition();

  /// One that does not wait for the default stream, as others of ballast. Any thread may call.
  cudaStream_t make_stream();

 private:
  fault_record& fault_;
  std::mutex mutex_;  ///< a green context is used by one thread at a time
  CUgreenCtx context_ = nullptr;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "cuda/errors.hpp"

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

}  // namespace ballast::detail

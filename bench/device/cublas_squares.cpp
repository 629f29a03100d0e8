// SPDX-License-Identifier: Apache-2.0
#include "device/squares.cuh"

#if BALLAST_HAVE_CUDA && __has_include(<cublas_v2.h>)
#  include <cublas_v2.h>

#  include "device/library_call.hpp"
#  include "harness/cuda_check.hpp"

namespace ballast::bench {
namespace {

/// A handle for one stream, which goes with the process.
class cublas_handle {
 public:
  cublas_handle(void* library, stream& on) : library_(library) {
    check(cudaStreamGetDevice(on.native(), &device_), "cudaStreamGetDevice");
    check(cudaSetDevice(device_), "cudaSetDevice");
    call_in<cublasCreate_v2>(library, "cublasCreate_v2", &handle_);
    call_in<cublasSetStream_v2>(library, "cublasSetStream_v2", handle_, on.native());
  }

  void multiply(square_matrices const& of, std::uint32_t first, std::uint32_t end) const {
    auto const side = int(of.side);
    auto const apart = static_cast<long long>(of.elements());
    auto const* const from = of.from.data() + of.elements() * first;
    check(cudaSetDevice(device_), "cudaSetDevice");
    call_in<cublasSgemmStridedBatched>(library_, "cublasSgemmStridedBatched", handle_, CUBLAS_OP_N,
                                       CUBLAS_OP_N, side, side, side, &one, from, side, apart, from, side,
                                       apart, &zero, of.to.data() + of.elements() * first, side, apart,
                                       int(end - first));
  }

 private:
  static constexpr float one = 1, zero = 0;
  void* library_;
  int device_ = 0;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace

enqueue_squares squares_by_cublas(stream& on, square_matrices const& of) {
  auto* const library = on.native() == nullptr ? nullptr : dlopen("libcublas.so.13", RTLD_NOW);
  if (library == nullptr) return {};
  cublas_handle const handle(library, on);
  return [=](std::uint32_t first, std::uint32_t end) { handle.multiply(of, first, end); };
}

}  // namespace ballast::bench
#else
namespace ballast::bench {
enqueue_squares squares_by_cublas(stream&, square_matrices const&) { return {}; }
}  // namespace ballast::bench
#endif

// SPDX-License-Identifier: Apache-2.0
#include "queue/graph_vendors.hpp"

#if BALLAST_HAVE_CUDA && __has_include(<cusolverDn.h>)
#  include <cusolverDn.h>

#  include <memory>
#  include <string>

#  include "device/library_call.hpp"
#  include "harness/cuda_check.hpp"

namespace ballast::bench {
namespace {

/// A factorisation by the library's functions for one type of number; `name` is that of Function. The lower
/// triangle by rows is the library's upper one by columns.
template <class Number, auto* Size, auto* Function>
class cusolver_factor {
 public:
  cusolver_factor(void* library, char const* name, stream& on, Number* matrix, std::uint32_t size)
      : library_(library), name_(name), matrix_(matrix), size_(int(size)) {
    call_in<cusolverDnCreate>(library, "cusolverDnCreate", &handle_);
    call_in<cusolverDnSetStream>(library, "cusolverDnSetStream", handle_, on.native());
    call_in<Size>(library, (name_ + "_bufferSize").c_str(), handle_, CUBLAS_FILL_MODE_UPPER, size_, matrix_,
                  size_, &elements_);
    check(cudaMalloc(&room_, std::size_t(elements_) * sizeof(Number)), "cudaMalloc");
    check(cudaMalloc(&status_, sizeof(int)), "cudaMalloc");
  }
  cusolver_factor(cusolver_factor const&) = delete;
  cusolver_factor& operator=(cusolver_factor const&) = delete;
  ~cusolver_factor() {  // the handle goes with the process
    cudaFree(room_);
    cudaFree(status_);
  }

  void enqueue() {
    call_in<Function>(library_, name_.c_str(), handle_, CUBLAS_FILL_MODE_UPPER, size_, matrix_, size_,
                      static_cast<Number*>(room_), elements_, static_cast<int*>(status_));
  }

 private:
  void* library_;
  std::string name_;
  Number* matrix_;
  int size_, elements_ = 0;
  cusolverDnHandle_t handle_ = nullptr;
  void *room_ = nullptr, *status_ = nullptr;
};

template <auto* Size, auto* Function, class Number>
std::function<void()> factor(char const* name, stream& on, array_ref<Number> matrix, std::uint32_t size) {
  auto* const library = on.native() == nullptr ? nullptr : dlopen("libcusolver.so.12", RTLD_NOW);
  if (library == nullptr) return {};
  auto const made =
      std::make_shared<cusolver_factor<Number, Size, Function>>(library, name, on, matrix.data(), size);
  return [made, &on] {
    made->enqueue();
    on.synchronize();
  };
}

}  // namespace

std::function<void()> factor_by_cusolver(stream& on, array_ref<float> matrix, std::uint32_t size) {
  return factor<cusolverDnSpotrf_bufferSize, cusolverDnSpotrf>("cusolverDnSpotrf", on, matrix, size);
}
std::function<void()> factor_by_cusolver(stream& on, array_ref<double> matrix, std::uint32_t size) {
  return factor<cusolverDnDpotrf_bufferSize, cusolverDnDpotrf>("cusolverDnDpotrf", on, matrix, size);
}

}  // namespace ballast::bench
#else
namespace ballast::bench {
std::function<void()> factor_by_cusolver(stream&, array_ref<float>, std::uint32_t) { return {}; }
std::function<void()> factor_by_cusolver(stream&, array_ref<double>, std::uint32_t) { return {}; }
}  // namespace ballast::bench
#endif

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include "ballast/version.hpp"

// CUDA's own names of what its handles point to, without its headers.
struct CUkern_st;
struct CUfunc_st;

namespace ballast {

/// A cudaKernel_t or CUkernel, which is valid on every GPU: cudaLibraryGetKernel() gives one, or
/// cuLibraryGetKernel().
using native_kernel = CUkern_st*;
/// A cudaFunction_t or CUfunction, which is valid on one GPU: cuModuleGetFunction() gives one while the GPU's
/// primary context is current, which is that of the CUDA runtime, of PyTorch, Triton and Numba.
using native_function = CUfunc_st*;

namespace detail {

/// A kernel as the driver knows it: one of both, the other is null.
struct driver_handle {
  native_kernel kernel = nullptr;
  native_function function = nullptr;
  bool is_of_program = false;  ///< stays loaded, so no other kernel gets the handle
};

/// Returns a cudaError_t, 0 for success.
using handle_source = int (*)(void const* target, driver_handle& found) noexcept;

#if defined(BALLAST_HAVE_CUDA) && BALLAST_HAVE_CUDA
/// Of the address of a `__global__` function. Only the CUDA runtime that is linked to the function's program,
/// or shared library, knows it: so this comes from a static library that is linked to each
/// (src/device/module) and hidden there. Its address goes along with that of the function: what takes it is
/// inlined, or the dynamic linker might take it from another file.
BALLAST_HIDDEN int find_kernel(void const* address, driver_handle& found) noexcept;
#else
inline constexpr handle_source find_kernel = nullptr;  // cores run no `__global__` function
#endif

inline int take_kernel(void const* kernel, driver_handle& found) noexcept {
  found.kernel = static_cast<native_kernel>(const_cast<void*>(kernel));
  return 0;
}
inline int take_function(void const* function, driver_handle& found) noexcept {
  found.function = static_cast<native_function>(const_cast<void*>(function));
  return 0;
}

}  // namespace detail

/// What a GPU can launch: a `__global__` function, or a handle of CUDA's of one that was compiled while the
/// program runs (NVRTC, Triton, Numba). Copies of it launch the same function. Making one calls nothing of
/// CUDA, so it is safe before main(), without a GPU and without a driver; the function is looked up when it
/// is loaded or launched. What a handle is of must stay loaded as long as it may be launched. Any thread may
/// call any member; none waits.
class gpu_function {
 public:
  /// No function: what takes one refuses this.
  constexpr gpu_function() = default;
  /// Likewise no function.
  constexpr gpu_function(std::nullptr_t) {}
  /// A `__global__` function of the program, or shared library, that makes this of it. Null is no function.
  template <class... Parameter>
  gpu_function(void (*global)(Parameter...), detail::handle_source source = detail::find_kernel)
      : target_(reinterpret_cast<void const*>(global)), source_(source) {}
  /// A kernel that its handle names, on whichever GPU it is launched. Null is no function.
  gpu_function(native_kernel kernel) : target_(kernel), source_(detail::take_kernel) {}
  /// A function that its handle names; on another GPU than its own CUDA refuses the launch. Null is no
  /// function.
  gpu_function(native_function function) : target_(function), source_(detail::take_function) {}

  /// Whether there is a function.
  explicit operator bool() const { return target_ != nullptr; }
  /// Distinguishes functions: the address of the `__global__` function, or the handle.
  void const* identity() const { return target_; }
  /// True if both are the same address or handle.
  friend bool operator==(gpu_function const& left, gpu_function const& right) {
    return left.target_ == right.target_;
  }

  /// For the library: the handle by which the driver knows it; returns a cudaError_t, 0 for success.
  int find(detail::driver_handle& found) const noexcept { return source_(target_, found); }

 private:
  void const* target_ = nullptr;
  detail::handle_source source_ = nullptr;
};

/// What launches take besides `__global__` functions.
template <class Handle>
concept gpu_handle = std::same_as<Handle, gpu_function> || std::same_as<Handle, native_kernel> ||
    std::same_as<Handle, native_function>;

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include "ballast/version.hpp"

// CUDA's own names for the targets of its handles, without its headers.
struct CUkern_st;
struct CUfunc_st;

namespace ballast {

/// A cudaKernel_t or CUkernel, which is valid on every GPU, from cudaLibraryGetKernel() or
/// cuLibraryGetKernel().
using native_kernel = CUkern_st*;
/// A cudaFunction_t or CUfunction, which is valid on one GPU. It comes from cuModuleGetFunction() while the
/// GPU's primary context is current: the context of the CUDA runtime, PyTorch, Triton and Numba.
using native_function = CUfunc_st*;

namespace detail {

/// A kernel as the driver knows it: exactly one of the two handles is set.
struct driver_handle {
  native_kernel kernel = nullptr;
  native_function function = nullptr;
  bool is_of_program = false;  ///< stays loaded, so no other kernel gets the handle
};

/// Finds the handle of `target`. Returns a cudaError_t, 0 for success.
using handle_source = int (*)(void const* target, driver_handle& found) noexcept;

#if defined(BALLAST_HAVE_CUDA) && BALLAST_HAVE_CUDA
/// Finds the kernel for the address of a `__global__` function. Only the CUDA runtime that is linked to the
/// kernel's own program or shared library knows the kernel. So each program or shared library links a static
/// library with its own, hidden copy of this function (src/device/module). Functions that pass the copy's
/// address together with the kernel's must be inlined: otherwise the dynamic linker may take them from
/// another file.
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

/// A function that a GPU can launch: a `__global__` function, or CUDA's handle of one that was compiled at
/// run time (NVRTC, Triton, Numba). Copies launch the same function. The constructors do not call CUDA, so
/// they are safe before main(), without a GPU and without a driver; the function is looked up when it is
/// loaded or launched. A handle's function must stay loaded as long as it may be launched. Any thread may
/// call any member; none waits.
class gpu_function {
 public:
  /// No function: calls that take a gpu_function refuse it.
  constexpr gpu_function() = default;
  /// Likewise no function.
  constexpr gpu_function(std::nullptr_t) {}
  /// A `__global__` function of the program or shared library that calls this. Null is no function.
  template <class... Parameter>
  gpu_function(void (*global)(Parameter...), detail::handle_source source = detail::find_kernel)
      : target_(reinterpret_cast<void const*>(global)), source_(source) {}
  /// The kernel of a handle, on any GPU that launches it. Null is no function.
  gpu_function(native_kernel kernel) : target_(kernel), source_(detail::take_kernel) {}
  /// The function of a handle. CUDA refuses a launch on another GPU. Null is no function.
  gpu_function(native_function function) : target_(function), source_(detail::take_function) {}

  /// True if there is a function.
  explicit operator bool() const { return target_ != nullptr; }
  /// Distinguishes functions: the address of the `__global__` function, or the handle.
  void const* identity() const { return target_; }
  /// True if both are the same address or handle.
  friend bool operator==(gpu_function const& left, gpu_function const& right) {
    return left.target_ == right.target_;
  }

  /// For the library: finds the handle by which the driver knows the function. Returns a cudaError_t, 0 for
  /// success.
  int find(detail::driver_handle& found) const noexcept { return source_(target_, found); }

 private:
  void const* target_ = nullptr;
  detail::handle_source source_ = nullptr;
};

/// The handles that launches take besides `__global__` functions.
template <class Handle>
concept gpu_handle = std::same_as<Handle, gpu_function> || std::same_as<Handle, native_kernel> ||
    std::same_as<Handle, native_function>;

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__CUDACC__)

namespace ballast::detail {

/// A reference to a T in the block's shared memory that takes one register, and through which accesses are
/// known to be to shared memory also in functions that are not inlined.
template <class T>
class shared_ref {
 public:
  __device__ explicit shared_ref(T& of) : address_(std::uint32_t(__cvta_generic_to_shared(&of))) {}

  __device__ T& operator*() const { return *static_cast<T*>(__cvta_shared_to_generic(address_)); }
  __device__ T* operator->() const { return &**this; }

 private:
  std::uint32_t address_;
};

}  // namespace ballast::detail

#endif

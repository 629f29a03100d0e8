// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ballast/device/qualifiers.cuh"

namespace ballast::inline device {

/// A pointer to T in global memory (device or mapped host memory), 8 bytes, trivially copyable, not owning.
/// A pointer that travels inside a task is generic to the compiler; every access here asserts that it is
/// global, so that loads and stores need no generic address. Bounds are the caller's business.
template <class T>
class array_ref {
 public:
  array_ref() = default;
  BALLAST_HD explicit array_ref(T* first) : first_(first) {}

  BALLAST_HD T& operator[](std::size_t index) const { return data()[index]; }
  BALLAST_HD T* data() const {
#if BALLAST_ON_GPU
    __builtin_assume(__isGlobal(first_));
#endif
    return first_;
  }
  /// The elements from `offset` on.
  BALLAST_HD array_ref from(std::size_t offset) const { return array_ref(first_ + offset); }
  BALLAST_HD explicit operator bool() const { return first_ != nullptr; }

 private:
  T* first_ = nullptr;
};

}  // namespace ballast::inline device

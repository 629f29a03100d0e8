// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "ballast/kernel.cuh"

namespace ballast {

/// Where a task stores its result: 8 bytes, a member of a kernel, which is trivially copyable. The caller
/// sets it to an element that is its own, of memory that every device can write on which the task may run,
/// such as a pinned_buffer. It holds the value once the task's completion is ready, also if the task ran on
/// another rank: there it writes to memory of that rank, and the value comes home.
///
/// One thread of the task assigns it, once. All blocks of a task have the same element: in a task of several
/// blocks, and in a grid task, the last of them to assign it would win, so a queue over ranks refuses such
/// tasks of kernels that have a result_ref.
///
/// T is trivially copyable, of at most 4096 bytes, and aligned to at most 16.
template <class T>
class result_ref {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "T of result_ref<T> is not trivially copyable, or const: a result is stored as bytes");
  static_assert(sizeof(T) <= 4096,
                "T of result_ref<T> exceeds 4096 bytes: store what is larger in an array of your own");
  static_assert(alignof(T) <= 16, "T of result_ref<T> is aligned to more than 16 bytes");

 public:
  /// Refers to nothing, and may not be assigned a value.
  result_ref() = default;
  /// Refers to an element, which the task overwrites.
  BALLAST_HD explicit result_ref(T* element) : element_(element) {}
  ///@{
  /// Refers to the same element.
  result_ref(result_ref const&) = default;
  result_ref& operator=(result_ref const&) = default;
  ///@}

  /// Stores the result.
  BALLAST_HD void operator=(T const& value) const { get() = value; }
  /// The element, for results that are stored part by part. Where the task runs on another rank it holds
  /// anything before.
  BALLAST_HD T& get() const { return element_[0]; }

 private:
  array_ref<T> element_;
};

}  // namespace ballast

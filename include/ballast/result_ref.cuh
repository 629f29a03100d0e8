// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"

namespace ballast {

/// A kernel member, trivially copyable and of 8 bytes, through which a task stores its result. The caller
/// sets it to an element of its own, in memory that every device on which the task may run can write, such as
/// a pinned_buffer. The element holds the value once the task's completion is ready. A task that runs on
/// another rank writes to that rank's memory, and the value is then sent to the caller's element.
///
/// One thread of the task assigns it, once. All blocks of a task share the element, so the last to assign
/// would win. A queue over ranks therefore refuses grid tasks and tasks of several blocks of kernels with a
/// result_ref.
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
  /// The element, for results that are stored part by part. On another rank its initial value is undefined.
  BALLAST_HD T& get() const { return element_[0]; }

 private:
  array_ref<T> element_;
};

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ballast/device/launch_shape.hpp"

namespace ballast::inline device {

/// A launch of any `__global__` function, compiled by whomever; GPUs only.
struct plain_launch {
  void const* function = nullptr;  ///< its address
  launch_shape shape;
  /// The address of each parameter's value, as many as the function has; null if it has none.
  void* const* arguments = nullptr;
  std::string_view name = "a plain kernel";  ///< for messages
};

}  // namespace ballast::inline device

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ballast/device/launch_shape.hpp"
#include "ballast/job/grid_slice.cuh"

namespace ballast::inline job {

/// A launch of a plain `__global__` kernel by a task: made by plain().
template <class... Parameter>
struct plain_kernel {
  void (*function)(grid_slice, Parameter...);
  launch_extent block;
  std::uint32_t shared_bytes;
  std::tuple<std::decay_t<Parameter>...> arguments;
};

template <class... Parameter, class... Argument>
plain_kernel<Parameter...> plain_with_shared_memory(void (*kernel)(grid_slice, Parameter...),
                                                    launch_extent block, std::uint32_t shared_bytes,
                                                    Argument... arguments) {
  return {kernel, block, shared_bytes, {std::move(arguments)...}};
}

/// What a factory returns for a plain `__global__` kernel, compiled by whomever, whose first parameter is a
/// grid_slice: `plain(kernel, block, arguments...)`, or with the bytes of dynamic shared memory of a block
/// before the arguments. GPUs only. A shape that CUDA refuses fails the task.
template <class... Parameter, class... Rest>
plain_kernel<Parameter...> plain(void (*kernel)(grid_slice, Parameter...), launch_extent block,
                                 Rest... rest) {
  if constexpr (sizeof...(Rest) == sizeof...(Parameter)) {
    return plain_with_shared_memory(kernel, block, 0, std::move(rest)...);
  } else {
    static_assert(sizeof...(Rest) == sizeof...(Parameter) + 1, "as many arguments as the kernel has");
    return plain_with_shared_memory(kernel, block, std::move(rest)...);
  }
}

template <class K>
struct is_plain_kernel : std::false_type {};
template <class... Parameter>
struct is_plain_kernel<plain_kernel<Parameter...>> : std::true_type {};
template <class K>
concept plain_kernel_of_any = is_plain_kernel<K>::value;

}  // namespace ballast::inline job

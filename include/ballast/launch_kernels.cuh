// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/launch/compile_launch.cuh"

/// Compiles a list of kernels for launch queues, once, in a .cu file: defines `ballast::launch_kernels const&
/// name()`, which a header declares for the .cpp files that use it. A kernel has at most 192 bytes of
/// members; list a larger one as indirect<K>.
#define BALLAST_LAUNCH_KERNELS(name, ...)                                                        \
  ::ballast::launch_kernels const& name() {                                                      \
    static_assert(::ballast::check_kernels<::ballast::detail::max_kernel_bytes, __VA_ARGS__>()); \
    static auto const list = ::ballast::detail::compile_for_launches<__VA_ARGS__>(#name);        \
    return list;                                                                                 \
  }

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/queue/ring_consumer.cuh"
#include "ballast/detail/queue/ring_server.cuh"
#include "ballast/detail/resident/compile_kernels.cuh"

/// Compiles a kernel list, once, in a .cu file: defines `ballast::compiled_kernels const& name()`, which a
/// header declares for the .cpp files that use it. The kernels have equal `threads` and at most 40 bytes of
/// members each (else list indirect<K>).
#define BALLAST_KERNELS(name, ...)                                                                    \
  ::ballast::compiled_kernels const& name() {                                                         \
    static_assert(::ballast::check_kernels<4 * ::ballast::argument_words, __VA_ARGS__>());            \
    static auto const list =                                                                          \
        ::ballast::detail::compile_for<::ballast::detail::ring_source_ref>::list<__VA_ARGS__>(#name); \
    return list;                                                                                      \
  }

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/queue/chen_source.cuh"
#include "ballast/queue_kernels.cuh"

/// As BALLAST_KERNELS, for lists that a chen_queue runs too. It is separate because each source compiles
/// every kernel of the list once more.
#define BALLAST_KERNELS_WITH_CHEN(name, ...)                                                          \
  ::ballast::compiled_kernels const& name() {                                                         \
    static_assert(::ballast::check_kernels<4 * ::ballast::argument_words, __VA_ARGS__>());            \
    static auto const list =                                                                          \
        ::ballast::detail::compile_for<::ballast::detail::ring_source_ref,                            \
                                       ::ballast::detail::chen_source_ref>::list<__VA_ARGS__>(#name); \
    return list;                                                                                      \
  }

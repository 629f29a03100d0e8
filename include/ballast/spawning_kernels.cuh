// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/queue/compile_spawning.cuh"

/// Compiles a kernel list whose tasks may create tasks, for task queues and for task pools of the default
/// method, `chunks`: defines `ballast::compiled_kernels const& name()`. The kernels are as for
/// BALLAST_POOL_KERNELS, but for those that reduce; kernels that create none may be among them.
#define BALLAST_SPAWNING_KERNELS(name, ...)                                                             \
  ::ballast::compiled_kernels const& name() {                                                           \
    static_assert(::ballast::check_kernels<4 * ::ballast::argument_words, __VA_ARGS__>());              \
    static_assert(::ballast::detail::none_reduces<__VA_ARGS__>,                                         \
                  "kernels that reduce are for BALLAST_POOL_KERNELS");                                  \
    using kernels_of_list = ::ballast::detail::pool_list<__VA_ARGS__>;                                  \
    static auto const list = ::ballast::detail::compile_pool_list<kernels_of_list, __VA_ARGS__>(        \
        #name, {::ballast::detail::make_hybrid_entry<kernels_of_list>(),                                \
                ::ballast::detail::make_pool_entry<kernels_of_list, ::ballast::detail::chunks_ref>()}); \
    return list;                                                                                        \
  }

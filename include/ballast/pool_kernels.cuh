// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/pool/compile_pool.cuh"

/// Compiles a kernel list for task pools of the default method, `chunks`, once, in a .cu file: defines
/// `ballast::compiled_kernels const& name()`, which a header declares for the .cpp files that use it. The
/// kernels have equal `threads` (a multiple of 32, or 1) and at most 40 bytes of members each (else list
/// indirect<K>); those that create tasks declare how many a block may create, `static constexpr std::uint32_t
/// spawns`. For the other methods: ballast/methods/pool_methods.cuh.
#define BALLAST_POOL_KERNELS(name, ...)                                                                 \
  ::ballast::compiled_kernels const& name() {                                                           \
    static_assert(::ballast::check_kernels<4 * ::ballast::argument_words, __VA_ARGS__>());              \
    using kernels_of_list = ::ballast::detail::pool_list<__VA_ARGS__>;                                  \
    static auto const list = ::ballast::detail::compile_pool_list<kernels_of_list, __VA_ARGS__>(        \
        #name, {::ballast::detail::make_pool_entry<kernels_of_list, ::ballast::detail::chunks_ref>()}); \
    return list;                                                                                        \
  }

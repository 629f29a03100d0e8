// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ballast/detail/pool/deque_stealing.cuh"
#include "ballast/detail/pool/level_arrays.cuh"
#include "ballast/detail/pool/shared_queues.cuh"
#include "ballast/pool_kernels.cuh"

namespace ballast::detail {

template <class List>
resident_entry make_level_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = reinterpret_cast<void const*>(&run_level_on_gpu<List>);
#endif
  code.host_function = &run_level_on_host<List>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {source_key_of<level_work>, code};
}

template <class List>
std::vector<resident_entry> every_pool_entry() {
  return {make_pool_entry<List, chunks_ref>(),       make_pool_entry<List, abp_ref>(),
          make_pool_entry<List, chase_lev_ref>(),    make_pool_entry<List, shared_ring_ref>(),
          make_pool_entry<List, locked_queue_ref>(), make_level_entry<List>()};
}

}  // namespace ballast::detail

/// As BALLAST_POOL_KERNELS, for lists that run by every name of pool_methods(), to compare the methods. It is
/// separate because each method compiles every kernel of the list once more.
#define BALLAST_POOL_KERNELS_WITH_METHODS(name, ...)                                             \
  ::ballast::compiled_kernels const& name() {                                                    \
    static_assert(::ballast::check_kernels<4 * ::ballast::argument_words, __VA_ARGS__>());       \
    using kernels_of_list = ::ballast::detail::pool_list<__VA_ARGS__>;                           \
    static auto const list = ::ballast::detail::compile_pool_list<kernels_of_list, __VA_ARGS__>( \
        #name, ::ballast::detail::every_pool_entry<kernels_of_list>());                          \
    return list;                                                                                 \
  }

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/pool/compile_pool.cuh"
#include "ballast/detail/pool/deque_stealing.cuh"
#include "ballast/detail/pool/level_arrays.cuh"
#include "ballast/detail/pool/peer_view.cuh"
#include "ballast/detail/pool/shared_queues.cuh"

namespace ballast::detail {

template <class List>
kernel_entry make_level_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &run_level_on_gpu<List>;
#endif
  code.host_function = &run_level_on_host<List>;
  code.threads = List::block_threads;
  code.scratch_bytes = List::scratch * List::max_taken;
  return {entry_key_of<level_work>, code};
}

}  // namespace ballast::detail

namespace ballast {

/// Among the kernels of BALLAST_KERNELS: compiles them for every name of pool_methods(), for comparison, as
/// for_pools does for the default. Each method compiles every kernel of the set once more.
struct for_pool_methods {
  /// Shows BALLAST_KERNELS that this is no kernel, and that tasks of the set may create tasks.
  static constexpr bool keeps_tasks = true;
  /// Adds the set's code for this use; for BALLAST_KERNELS.
  template <bool KeepsTasks, class... K>
  static void compile(detail::compiled_code& into) {
    using namespace detail;
    using list = pool_list<K...>;
    for_pools::compile<KeepsTasks, K...>(into);
    if constexpr (!(has_order_key<K> || ...)) into.entries.push_back(make_pool_entry<list, bands_ref>());
    into.entries.push_back(make_pool_entry<list, abp_ref>());
    into.entries.push_back(make_pool_entry<list, chase_lev_ref>());
    into.entries.push_back(make_pool_entry<list, shared_ring_ref>());
    into.entries.push_back(make_pool_entry<list, locked_queue_ref>());
    into.entries.push_back(make_level_entry<list>());
  }
};

/// Among the kernels of BALLAST_KERNELS: compiles them as for_pools does, and once more for pools over
/// several devices.
struct for_pools_over_devices {
  /// Shows BALLAST_KERNELS that this is no kernel, and that tasks of the set may create tasks.
  static constexpr bool keeps_tasks = true;
  /// Adds the set's code for this use; for BALLAST_KERNELS.
  template <bool KeepsTasks, class... K>
  static void compile(detail::compiled_code& into) {
    using list = detail::pool_list<K...>;
    for_pools::compile<KeepsTasks, K...>(into);
    into.entries.push_back(detail::make_pool_entry<list, detail::chunks_ref, detail::peer_view>());
  }
};

}  // namespace ballast

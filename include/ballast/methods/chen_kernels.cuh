// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/queue/chen_source.cuh"
#include "ballast/detail/queue/compile_queue.cuh"

namespace ballast {

/// Among the kernels of BALLAST_KERNELS: compiles them for chen_queue. Each has at most 40 bytes of members
/// (else list indirect<K>). Not a default, because each source compiles every kernel of the set once more.
struct for_chen_queues {
  /// Shows BALLAST_KERNELS that this is no kernel.
  static constexpr bool keeps_tasks = false;
  /// Adds the set's code for this use; for BALLAST_KERNELS.
  template <bool KeepsTasks, class... K>
  static void compile(detail::compiled_code& into) {
    detail::refuse_created_tasks<for_chen_queues, KeepsTasks>();
    static_assert(!(detail::is_by_reference<K> || ...),
                  "a task of a chen_queue holds 40 bytes of arguments: list a larger kernel as indirect<K>");
    if constexpr (!KeepsTasks)
      into.entries.push_back(detail::make_entry<detail::kernel_list<K...>, detail::chen_source_ref>());
  }
};

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// BALLAST_KERNELS, for .cu files.

#include "ballast/detail/device/compile_kernels.cuh"
#include "ballast/detail/launch/compile_launch.cuh"
#include "ballast/detail/queue/compile_queue.cuh"

namespace ballast::detail {

template <class... K>
void compile_what_fits(compiled_code& into) {
  if constexpr ((is_for_pools<K> || ...)) {
    for_pools::compile<true, K...>(into);
    if constexpr (!(reduces_of<K> || ...)) for_queues::compile<true, K...>(into);
  } else {
    if constexpr (fit_into_tasks<K...>) for_queues::compile<false, K...>(into);
    if constexpr (sizeof...(K) <= max_family_kernels) for_launches::compile<false, K...>(into);
  }
}

}  // namespace ballast::detail

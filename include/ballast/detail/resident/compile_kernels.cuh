// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/resident/worker_loop.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// The resident kernel that runs the kernels of a set for a type of source.
template <class List, class Source>
kernel_entry make_entry() {
  kernel_code code;
#if defined(__CUDACC__)
  code.cuda_function = &work_on_gpu<List, Source>;
#endif
  code.host_function = &work_on_host<List, Source>;
  code.threads = List::threads;
  code.scratch_bytes = List::scratch;
  return {entry_key_of<Source>, code};
}

}  // namespace ballast::detail

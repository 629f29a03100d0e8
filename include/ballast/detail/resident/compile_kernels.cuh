// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/resident/worker_loop.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

#if defined(__CUDACC__)
/// Makes of the workers' code that of their server.
inline void become_server(kernel_code& code, gpu_function function) {
  code.cuda_function = function;
  code.threads = lone_server_threads;
  code.scratch_bytes = 0;
}
#endif

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
  kernel_entry entry{entry_key_of<Source>, code};
#if defined(__CUDACC__)
  if constexpr (has_server<Source> && gains_by_lone_server<List::threads>) {
    entry.workers = entry.server = code;
    entry.workers.cuda_function = &work_beside_server_on_gpu<List, Source>;
    become_server(entry.server, &serve_on_gpu<Source>);
  }
#endif
  return entry;
}

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_queue.hpp"

namespace ballast {

using namespace detail;

std::vector<launch_statistics::named_count> launch_statistics::listed() const {
  return {{"launches", launches},
          {"kernels", kernels},
          {"merged_launches", merged_launches},
          {"merged_kernels", merged_kernels},
          {"chained_kernels", chained_kernels},
          {"issued_by_producers", issued_by_producers},
          {"graphs_built", graphs_built},
          {"graph_launches", graph_launches},
          {"graph_kernels", graph_kernels},
          {"graph_arguments_set", graph_arguments_set}};
}

}  // namespace ballast

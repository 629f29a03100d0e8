// SPDX-License-Identifier: Apache-2.0
#include "node_kernels.cuh"

#include "ballast/detail/resident/compile_kernels.cuh"

namespace ballast::connect4 {

compiled_kernels const& node_kernels() {
  static auto const list = detail::compile_for<>::list<examine_nodes>("node_kernels");
  return list;
}

}  // namespace ballast::connect4

// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/queue/compile_queue.cuh"
#include "visit_tiles.cuh"

namespace ballast::test {

BALLAST_KERNELS(tile_loop_kernels, ballast::for_queues, visit_tiles)

}  // namespace ballast::test

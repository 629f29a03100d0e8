// SPDX-License-Identifier: Apache-2.0
#include "ballast/methods/chen_kernels.cuh"
#include "cell_forces.cuh"
#include "kernels.hpp"
#include "local_reference.cuh"
#include "motion.cuh"

namespace ballast::md {

BALLAST_KERNELS(double_cells, ballast::for_queues, ballast::for_chen_queues,
                by_local_reference<cell_forces<double>>, by_local_reference<kick>,
                by_local_reference<drift<double>>, store_arguments)

}  // namespace ballast::md

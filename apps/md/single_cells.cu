// SPDX-License-Identifier: Apache-2.0
#include "ballast/queue/kernels.cuh"
#include "cell_forces.cuh"
#include "kernels.hpp"
#include "motion.cuh"

namespace ballast::md {

BALLAST_KERNELS(single_cells, by_reference<cell_forces<float>>, by_reference<kick>,
                by_reference<drift<float>>)

}  // namespace ballast::md

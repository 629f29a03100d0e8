// SPDX-License-Identifier: Apache-2.0
#include "all_pairs_forces.cuh"
#include "ballast/methods/chen_kernels.cuh"
#include "kernels.hpp"
#include "local_reference.cuh"
#include "motion.cuh"

namespace ballast::md {

BALLAST_KERNELS(single_all_pairs, ballast::for_queues, ballast::for_chen_queues,
                by_local_reference<all_pairs_forces<float>>, by_local_reference<kick>,
                by_local_reference<drift<float>>, store_arguments)

}  // namespace ballast::md

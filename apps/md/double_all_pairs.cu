// SPDX-License-Identifier: Apache-2.0
#include "all_pairs_forces.cuh"
#include "ballast/queue/kernels.cuh"
#include "kernels.hpp"
#include "motion.cuh"

namespace ballast::md {

BALLAST_KERNELS(double_all_pairs, by_reference<all_pairs_forces<double>>, by_reference<kick>,
                by_reference<drift<double>>)

}  // namespace ballast::md

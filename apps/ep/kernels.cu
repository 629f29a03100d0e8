// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "ballast/kernels.cuh"
#include "gaussian_pairs.cuh"

namespace ballast::ep {

BALLAST_KERNELS(pair_kernels, ballast::for_jobs, gaussian_pairs)

}  // namespace ballast::ep

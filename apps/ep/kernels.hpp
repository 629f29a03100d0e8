// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job_scheduler.hpp"

namespace ballast::ep {

/// gaussian_pairs, for job schedulers.
job_kernels const& pair_kernels();

}  // namespace ballast::ep

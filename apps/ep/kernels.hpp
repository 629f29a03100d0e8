// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job_scheduler.hpp"

namespace ballast::ep {

/// gaussian_pairs, for job schedulers.
kernel_set const& pair_kernels();

}  // namespace ballast::ep

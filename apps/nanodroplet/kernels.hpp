// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/stream.hpp"

namespace ballast::nanodroplet {

/// The five kernels of water_forces.cuh, mixed_forces.cuh and water_motion.cuh, for launch queues.
kernel_set const& droplet_kernels();

/// One of these kernels, or its kernel_batch, as an ordinary launch, whose argument is K itself.
template <kernel_form K>
kernel_code launched_alone();

}  // namespace ballast::nanodroplet

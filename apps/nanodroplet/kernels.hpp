// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/kernel.cuh"
#include "ballast/launch_kernels.hpp"
#include "ballast/stream.hpp"

namespace ballast::nanodroplet {

/// The five kernels of water_forces.cuh, mixed_forces.cuh and water_motion.cuh, for launch queues.
launch_kernels const& droplet_kernels();

/// One of them, or the kernel_batch of one, as an ordinary launch, whose argument is K itself.
template <kernel_form K>
kernel_code launched_alone();

}  // namespace ballast::nanodroplet

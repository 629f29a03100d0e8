// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/device/kernel_code.hpp"
#include "ballast/device/kernel_form.cuh"

namespace ballast::nanodroplet {

/// K as an ordinary launch, whose argument is K itself. Compiled for the five kernels of water_forces.cuh,
/// mixed_forces.cuh and water_motion.cuh.
template <kernel_form K>
kernel_code launched_alone();

}  // namespace ballast::nanodroplet

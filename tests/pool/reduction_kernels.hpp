// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/task.hpp"

namespace ballast::test {

kernel_set const& reducing_kernels_of_blocks();   ///< reduce_cases<64>
kernel_set const& reducing_kernels_of_warps();    ///< reduce_cases<32>
kernel_set const& reducing_kernels_of_threads();  ///< reduce_cases<1>

}  // namespace ballast::test

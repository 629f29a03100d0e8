// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/task.hpp"

namespace ballast::md {

// Lists of kernels by precision of the pair terms and by method, since a resident kernel costs as much as its
// heaviest kernel. Each contains by_local_reference of the forces' kernel, kick and drift; and
// store_arguments.
kernel_set const& single_cells();
kernel_set const& single_all_pairs();
kernel_set const& double_cells();
kernel_set const& double_all_pairs();

/// For both precisions and methods, for job schedulers: forces of atoms in slots, kick, drift.
kernel_set const& job_kernels();

}  // namespace ballast::md

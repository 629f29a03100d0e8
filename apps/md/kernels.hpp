// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/task.hpp"

namespace ballast::md {

// Lists of kernels by precision of the pair terms and by method, since a resident kernel costs what its
// heaviest kernel costs. Each: by_local_reference of the forces' kernel, kick and drift; store_arguments.
compiled_kernels const& single_cells();
compiled_kernels const& single_all_pairs();
compiled_kernels const& double_cells();
compiled_kernels const& double_all_pairs();

}  // namespace ballast::md

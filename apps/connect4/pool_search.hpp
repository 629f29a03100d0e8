// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ballast/kernel.cuh"
#include "ballast/task.hpp"
#include "ballast/task_pool.hpp"
#include "search.hpp"

namespace ballast::connect4 {

/// Searches the tree as tasks of a task_pool by the method of that name (ballast::pool_methods()). By
/// `chunks`, with a thread for each task, one pool runs on all devices, if task_pool accepts them. Otherwise
/// the nodes of the first level are divided among the devices, each of which has a pool for everything below
/// them. Throws search_stopped, and pool_stopped if the tree does not fit.
search_answer search_in_pool(search_request const& request, std::string_view method);

/// The kernels for a pool whose workers have this size.
kernel_set const& pool_kernels(worker_size workers);

/// Options for a pool of pool_kernels() by that method, with enough joins for a tree of this depth. No
/// deadline.
pool_options pool_options_for(std::string_view method, int lookahead);

/// The children of the root in these columns (0 to 6, none full) as tasks for such a pool, with the request's
/// workers. The value of column i goes to values[i], which a device writes and the host may read after the
/// run.
std::vector<task> first_level(search_request const& request, std::span<int const> in_columns,
                              array_ref<score> values);

}  // namespace ballast::connect4

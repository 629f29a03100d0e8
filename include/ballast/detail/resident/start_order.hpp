// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ballast/task.hpp"

namespace ballast::detail {

/// The order in which the tasks of a batch should begin, as indices in `tasks`: costlier first, equal ones in
/// order of submission (longest processing time first, Graham 1969). Without costs, in order of submission.
/// Pure.
std::vector<std::size_t> start_order(std::span<task const> tasks);

}  // namespace ballast::detail

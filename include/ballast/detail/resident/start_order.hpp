// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ballast/task.hpp"

namespace ballast::detail {

/// In which order the tasks of a batch should begin, as places in `tasks`: the costlier first, equal ones as
/// they came (longest processing time first, Graham 1969). Without costs, as they came. Pure.
std::vector<std::size_t> start_order(std::span<task const> tasks);

}  // namespace ballast::detail

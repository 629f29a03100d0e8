// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ballast::detail {

/// The ranks that a rank asks before it waits to be given tasks (lifelines: Saraswat et al. 2011): those
/// whose number differs in one bit, and the next one around the ring. `is_lost`: of each rank; in place of a
/// lost one stands the next that lives, so that tasks find their way from every living rank to every other.
std::vector<std::uint32_t> lifelines_of(std::uint32_t rank, std::vector<bool> const& is_lost);

}  // namespace ballast::detail

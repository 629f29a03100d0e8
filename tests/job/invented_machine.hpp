// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/task_planner.hpp"

namespace ballast::test {
using namespace detail;

/// Invented GPUs on host links of 50 bytes per ns, with links of 400 between those of one island; places
/// count from 1, the first `in_island` are the first island.
inline copy_links invented_machine(std::uint32_t gpus, std::uint32_t in_island) {
  std::vector<copy_link> links;
  auto const island = [&](std::uint32_t place) { return (place - 1) / in_island; };
  for (std::uint32_t from = 0; from <= gpus; ++from)
    for (std::uint32_t to = 0; to <= gpus; ++to) {
      if (from == 0 || to == 0)
        links.push_back({50});
      else
        links.push_back(island(from) == island(to) ? copy_link{400} : copy_link{25, false});
    }
  return {gpus + 1, links};
}

}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ballast::detail {

/// The first living rank from `from` on, around the ring.
inline std::uint32_t next_living(std::uint32_t from, std::vector<bool> const& is_lost) {
  auto const ranks = std::uint32_t(is_lost.size());
  while (is_lost[from]) from = (from + 1) % ranks;
  return from;
}

/// The ranks that a rank asks before it waits for a gift of tasks (lifelines: Saraswat et al. 2011): those
/// whose number differs in one bit, and the next one around the ring. `is_lost` has an entry for each rank.
/// The next living rank replaces a lost one, so that tasks can get from every living rank to every other.
inline std::vector<std::uint32_t> lifelines_of(std::uint32_t rank, std::vector<bool> const& is_lost) {
  auto const ranks = std::uint32_t(is_lost.size());
  std::vector<std::uint32_t> lines;
  auto const add = [&](std::uint32_t other) {
    auto const living = next_living(other, is_lost);
    if (living != rank && std::ranges::find(lines, living) == lines.end()) lines.push_back(living);
  };
  // The ring alone connects all ranks; the bits shorten the paths.
  add((rank + 1) % ranks);
  for (std::uint64_t bit = 1; bit < ranks; bit *= 2)
    if ((rank ^ bit) < ranks) add(std::uint32_t(rank ^ bit));
  return lines;
}

}  // namespace ballast::detail

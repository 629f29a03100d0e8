// SPDX-License-Identifier: Apache-2.0
#include "boundary_first.hpp"

#include <algorithm>

namespace ballast::detail {
namespace {

constexpr std::uint32_t parts_per_boundary = 100;  // an end is at most one of so many
constexpr std::uint32_t max_boundary_units = 64;   // each is asked for

/// How many units on from `first`, in that direction, read in common with the one before it; more than `most`
/// are not counted.
std::uint32_t depth(std::uint32_t first, int direction, std::uint32_t most, read_in_common const& meet) {
  std::uint32_t found = 0;
  while (found <= most && meet(first - std::uint32_t(direction), first + std::uint32_t(direction) * found))
    ++found;
  return found;
}

}  // namespace

std::vector<job_part> boundary_first(job_part part, std::uint32_t units, read_in_common const& meet) {
  auto const most = std::min(part.count / parts_per_boundary, max_boundary_units);
  if (most == 0) return {part};
  auto const end = part.first + part.count;
  auto const low = part.first == 0 ? 0 : depth(part.first, 1, most, meet);
  auto const high = end == units ? 0 : depth(end - 1, -1, most, meet);
  if (low + high == 0 || low > most || high > most) return {part};
  std::vector<job_part> pieces;
  if (low != 0) pieces.push_back({part.first, low});
  if (high != 0) pieces.push_back({end - high, high});
  pieces.push_back({part.first + low, part.count - low - high});
  return pieces;
}

}  // namespace ballast::detail

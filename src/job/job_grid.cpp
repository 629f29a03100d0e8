// SPDX-License-Identifier: Apache-2.0
#include "ballast/access_map.hpp"

#include <limits>

#include "ballast/error.hpp"

namespace ballast {
namespace {

constexpr std::uint32_t max_blocks = std::numeric_limits<std::int32_t>::max();  // CUDA's limit for x

void check_count(std::uint32_t count) {
  if (count > max_blocks) throw_bad_argument("grid", count, "0 to 2147483647 blocks in each dimension");
}

cut slowest_of(launch_extent const& blocks) {
  if (blocks.z > 1) return cut::z;
  return blocks.y > 1 ? cut::y : cut::x;
}

bool is_empty(launch_extent const& blocks) { return blocks.x == 0 || blocks.y == 0 || blocks.z == 0; }

}  // namespace

job_grid::job_grid(launch_extent blocks, cut along)
    : blocks_(blocks), along_(along == cut::slowest ? slowest_of(blocks) : along) {
  for (auto const count : {blocks.x, blocks.y, blocks.z}) check_count(count);
}

std::uint32_t job_grid::units() const {
  if (is_empty(blocks_)) return 0;
  if (along_ == cut::x) return blocks_.x;
  return along_ == cut::y ? blocks_.y : blocks_.z;
}

std::uint64_t job_grid::blocks_of_unit() const {
  if (is_empty(blocks_)) return 0;
  std::uint64_t const x = blocks_.x, y = blocks_.y, z = blocks_.z;
  if (along_ == cut::x) return y * z;
  return along_ == cut::y ? x * z : x * y;
}

}  // namespace ballast

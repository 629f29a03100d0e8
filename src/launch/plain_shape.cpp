// SPDX-License-Identifier: Apache-2.0
#include "plain_shape.hpp"

namespace ballast::detail {
namespace {

std::uint64_t both(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

}  // namespace

plain_shape shape_of(submission& work) {
  if (!work.is_described()) return {.function = work.type(), .shape = {}};
  void* addresses[max_described_arguments];
  auto const described = work.describe(addresses);
  return {described.function, described.shape};
}

std::uint64_t mixed(std::uint64_t hash, plain_shape const& what) {
  auto const& [grid, block, shared_bytes] = what.shape;
  hash = mixed(hash, reinterpret_cast<std::uintptr_t>(what.function));
  hash = mixed(hash, both(grid.x, grid.y));
  hash = mixed(hash, both(grid.z, block.x));
  hash = mixed(hash, both(block.y, block.z));
  return mixed(hash, shared_bytes);
}

}  // namespace ballast::detail

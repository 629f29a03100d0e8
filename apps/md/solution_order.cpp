// SPDX-License-Identifier: Apache-2.0
#include "solution_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "splitmix.hpp"

namespace ballast::md {
namespace {

/// Cells by number of atoms, most first; a counting sort, so equal cells stay in their order.
std::vector<std::int32_t> cells_by_count(cell_list const& cells) {
  std::int32_t const all = cells.grid.cells();
  std::uint32_t most = 0;
  for (std::int32_t c = 0; c < all; ++c) most = std::max(most, cells.atoms_in(c));
  std::vector<std::uint32_t> start(std::size_t(most) + 2);
  for (std::int32_t c = 0; c < all; ++c) ++start[most - cells.atoms_in(c) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::int32_t> order(static_cast<std::size_t>(all));
  for (std::int32_t c = 0; c < all; ++c) order[start[most - cells.atoms_in(c)]++] = c;
  return order;
}

/// Even in 0 .. range - 1 to within 2^-32.
std::uint32_t below(std::uint32_t range, std::uint64_t counter) {
  return static_cast<std::uint32_t>(((mix(counter) >> 32) * range) >> 32);
}

}  // namespace

slot_order decomposition_order(cell_list const& cells) {
  slot_order order;
  order.reserve(cells.atom.size());
  for (auto const c : cells_by_count(cells)) {
    auto const first = cells.start[static_cast<std::size_t>(c)];
    for (std::uint32_t i = 0; i < cells.atoms_in(c); ++i) order.push_back(first + i);
  }
  return order;
}

slot_order random_order(std::uint32_t count, std::uint64_t seed) {
  slot_order order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::uint64_t const stream = mix(seed);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i, stream ^ i)]);
  return order;
}

}  // namespace ballast::md

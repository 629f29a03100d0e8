// SPDX-License-Identifier: Apache-2.0
#include "ballast/access_map.hpp"

#include <algorithm>
#include <limits>

#include "ballast/error.hpp"

namespace ballast {
namespace {

int checked_rank(std::size_t count) {
  if (count < 1 || count > 3) throw_bad_argument("sizes", count, "1 to 3 dimensions");
  return int(count);
}

/// Sizes of 0 are left out, so that no partial product overflows either.
void check_product(std::span<std::size_t const> sizes) {
  std::size_t product = 1;
  for (auto const size : sizes) {
    if (size == 0) continue;
    auto const most = std::numeric_limits<std::size_t>::max() / product;
    if (size > most)
      throw_bad_argument("sizes", size, "at most " + std::to_string(most) + " beside the others");
    product *= size;
  }
}

}  // namespace

extents::extents(std::span<std::size_t const> sizes) : rank_(checked_rank(sizes.size())) {
  check_product(sizes);
  std::ranges::copy(sizes, sides_.end() - rank_);
}

box whole(extents const& array) {
  auto const& sides = array.sides();
  return {{{{0, sides[0]}, {0, sides[1]}, {0, sides[2]}}}};
}

}  // namespace ballast

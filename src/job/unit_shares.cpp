// SPDX-License-Identifier: Apache-2.0
#include "unit_shares.hpp"

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::size_t rounded_up(std::size_t size, std::size_t each) { return size / each + (size % each != 0); }

}  // namespace

void unit_shares::check(std::uint32_t units, std::size_t size) const {
  auto const indices = std::to_string(size) + " indices";
  if (per_unit_ == 0 && size % units != 0)
    throw_bad_argument("map", map_ + " of " + indices + " for " + std::to_string(units) + " units",
                       "units that divide them, or the same map with how many a unit has");
  if (per_unit_ != 0 && units != rounded_up(size, per_unit_))
    throw_bad_argument("map", map_ + " of " + indices + " for " + std::to_string(units) + " units",
                       std::to_string(rounded_up(size, per_unit_)) + " units");
}

index_range unit_shares::of(job_part part, std::uint32_t units, std::size_t size) const {
  check(units, size);
  auto const each = per_unit_ == 0 ? size / units : per_unit_;
  auto const end = std::size_t(part.first) + part.count;
  return {part.first * each, end == units ? size : end * each};
}

}  // namespace ballast::detail

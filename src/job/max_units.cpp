// SPDX-License-Identifier: Apache-2.0
#include "max_units.hpp"

#include <algorithm>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

/// Whether each part of `count` units fits. Parts that begin within `stride` units of each other are tried as
/// one, which has them all.
bool all_fit(std::uint32_t count, std::uint32_t units, std::size_t limit, memory_of_part const& memory) {
  auto const stride = std::max(count / 8, 1u);
  for (std::uint64_t first = 0; first + count <= units; first += stride) {
    auto const tried = std::min<std::uint64_t>(count + stride - 1, units - first);
    if (memory({std::uint32_t(first), std::uint32_t(tried)}) > limit) return false;
  }
  return true;
}

std::uint32_t max_within(std::size_t limit, std::uint32_t units, memory_of_part const& memory) {
  std::uint32_t fit = 0;
  for (auto too_many = std::uint64_t(units) + 1; fit + 1 < too_many;) {
    auto const count = std::uint32_t((fit + too_many) / 2);
    if (all_fit(count, units, limit, memory))
      fit = count;
    else
      too_many = count;
  }
  return fit;
}

}  // namespace

std::uint32_t max_units(std::uint32_t units, std::size_t limit, memory_of_part const& memory) {
  if (memory({0, units}) <= limit / 3) return units;
  for (std::size_t const parts : {3u, 2u, 1u})
    if (auto const found = max_within(limit / parts, units, memory); found > 0) return found;
  return 0;
}

std::optional<std::uint32_t> first_unit_over(std::size_t limit, std::uint32_t units,
                                             memory_of_part const& memory) {
  if (memory({0, units}) <= limit) return std::nullopt;
  for (std::uint32_t unit = 0; unit < units; ++unit)
    if (memory({unit, 1}) > limit) return unit;
  return std::nullopt;
}

void throw_unit_too_large(std::string const& job, std::uint32_t unit, std::string const& device,
                          std::span<memory_of_array const> arrays, std::size_t limit) {
  std::size_t sum = 0;
  std::string list;
  for (auto const& array : arrays) {
    sum += array.bytes;
    list += (list.empty() ? "" : ", ") + array.name + " " + std::to_string(array.bytes);
  }
  auto const needs = std::to_string(sum);
  throw_bad_argument("device_bytes", limit,
                     "at least " + needs + ": unit " + std::to_string(unit) + " of job '" + job + "' needs " +
                         needs + " bytes on " + device + " (" + list + ")");
}

}  // namespace ballast::detail

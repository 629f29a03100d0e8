// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "ballast/access_map.hpp"

namespace ballast::detail {

/// The memory that the units of a part need at once: monotone, as access maps are.
using memory_of_part = std::function<std::size_t(job_part)>;

/// The most units of a job of so many units that any part may have: three parts of them, else two, else one
/// fit in `limit` bytes, wherever they lie in the job, so that one may be brought in and one out while one
/// runs. 0 if a single unit does not fit. May be up to an eighth too few, so that not every part has to be
/// tried.
std::uint32_t max_units(std::uint32_t units, std::size_t limit, memory_of_part const& memory);

/// The first unit that alone needs more.
std::optional<std::uint32_t> first_unit_over(std::size_t limit, std::uint32_t units,
                                             memory_of_part const& memory);

/// What one array has of a unit's memory.
struct memory_of_array {
  std::string name;
  std::size_t bytes = 0;
};
/// Throws bad_argument ("device_bytes") with the sizes: "unit 5 of job 'mul' needs 402653184 bytes on cuda:0
/// (a 134217728, b 268435456, c 0)".
[[noreturn]] void throw_unit_too_large(std::string const& job, std::uint32_t unit, std::string const& device,
                                       std::span<memory_of_array const> arrays, std::size_t limit);

}  // namespace ballast::detail

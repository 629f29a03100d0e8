// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "ballast/access_map.hpp"

namespace ballast::detail {

class job_record;
struct planned_task;
struct task_piece;

/// The memory that the units of a part need at once: monotone, as access maps are.
using memory_of_part = std::function<std::size_t(job_part)>;

/// The most units that any part of a job of `units` units may have: wherever the parts lie, three of them
/// (else two, else one) must fit in `limit` bytes, so that one can be copied in and one out while one runs. 0
/// if a single unit does not fit. May be up to an eighth too small, so that not every part has to be tried.
std::uint32_t max_units(std::uint32_t units, std::size_t limit, memory_of_part const& memory);

/// The first unit that alone needs more than `limit` bytes; none if there is no such unit.
std::optional<std::uint32_t> first_unit_over(std::size_t limit, std::uint32_t units,
                                             memory_of_part const& memory);

/// One array's share of a unit's memory.
struct memory_of_array {
  std::string name;
  std::size_t bytes = 0;
};
/// Throws bad_argument ("device_bytes") with the sizes: "unit 5 of job 'mul' needs 402653184 bytes on cuda:0
/// (a 134217728, b 268435456, c 0)".
[[noreturn]] void throw_unit_too_large(std::string const& job, std::uint32_t unit, std::string const& device,
                                       std::span<memory_of_array const> arrays, std::size_t limit);

/// Bytes of an array that a unit of a job touches.
struct touched_bytes {
  byte_range bytes;
  std::uint32_t unit = 0;
  bool written = false;
};

/// A byte that two units touch and one of them writes.
struct common_byte {
  std::size_t byte = 0;
  std::uint32_t first_unit = 0, second_unit = 0;  ///< ascending

  bool operator==(common_byte const&) const = default;
};

/// The first byte that two units touch and one of them writes, if there is one. `touched` is in any order;
/// none of its ranges is empty.
std::optional<common_byte> first_common_byte(std::vector<touched_bytes> touched);

/// Throws bad_argument ("device_bytes") if the arrays of a unit exceed the `limit` of the device with the
/// most memory.
void check_units_fit(job_record const& job, std::string const& largest_device, std::size_t limit);
/// Throws bad_argument ("arguments") if a unit writes bytes that another one touches. Maps that do not
/// declare their overlap are not tried again if they `were_tried`, unless an array is several arguments.
void check_units_write_apart(job_record const& job, bool were_tried);

/// True if two units of a job read something in common.
using read_in_common = std::function<bool(std::uint32_t unit, std::uint32_t other)>;

/// The pieces of a device's part of a job of `units` units, in the order of computation. The units at its
/// ends that share inputs with units beyond it come first, so that results for a neighbour are copied while
/// the rest is computed. Returns the whole part if there are no such units, or if one end has more than 64 of
/// them or more than a hundredth of the part. Pure.
std::vector<job_part> boundary_first(job_part part, std::uint32_t units, read_in_common const& meet);
/// The kernels into which the task is divided, so that its ends can run first. More than one pays only if the
/// part is nearly all that the device gets of the job. Throws the exception of a map.
std::vector<task_piece> pieces_of(planned_task const& task);

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ballast/access_map.hpp"

namespace ballast::detail {

/// The parts of each device, in the order in which it takes them.
using device_parts = std::vector<std::vector<job_part>>;

/// A device's pace: it computes the units of a step at a time. A partly filled step takes as long as a full
/// one.
struct device_pace {
  double steps_per_ns = 0;           ///< at least 0
  std::uint32_t units_per_step = 1;  ///< at least 1
};

/// The number of steps for `units` units; the last may be partly filled.
constexpr std::uint32_t whole_steps(std::uint32_t units, std::uint32_t units_per_step) {
  return units / units_per_step + (units % units_per_step != 0);
}

/// `whole` in `count` parts (at least 1) whose sizes differ by at most one unit, the larger ones first; in
/// fewer if there are fewer units.
std::vector<job_part> equal_parts(job_part whole, std::uint32_t count);

/// `whole` in at most `count` parts of whole steps, except the last.
std::vector<job_part> parts_of_steps(job_part whole, std::uint32_t count, std::uint32_t units_per_step);

/// Units of each device such that the slowest ends as early as whole steps allow. At least one device must
/// make steps.
std::vector<std::uint32_t> shares_by_pace(std::uint32_t units, std::span<device_pace const> paces);

/// The time of the device that takes longest with these shares.
double slowest_ns(std::span<std::uint32_t const> shares, std::span<device_pace const> paces);

/// One range per device, in the order of the devices; it is empty if the device's share is 0.
std::vector<job_part> side_by_side(std::span<std::uint32_t const> shares);

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ballast/trace/span.hpp"

namespace ballast::inline trace {

/// What one device did over a whole run.
struct device_load {
  std::int64_t busy_ns = 0;  ///< end of the last span minus begin of the first in a step, summed over steps
  std::int64_t work_ns = 0;  ///< the lengths of all spans, summed over workers
  std::uint64_t tasks = 0;

  bool operator==(device_load const&) const = default;
};

/// The busy time of every device in one step.
struct step_busy {
  std::int64_t step = 0;
  std::vector<std::int64_t> busy_ns;  ///< per device; 0 for a device that did nothing in the step
};

/// Pure functions of the spans, in any order of them; `devices` is the number of devices, and spans of
/// devices beyond it throw bad_argument ("span.device").
std::vector<step_busy> busy_per_step(std::span<span const> spans, std::size_t devices);  ///< steps ascend
std::vector<device_load> device_loads(std::span<span const> spans, std::size_t devices);

/// The largest over the mean: 1 is even, n means that one of n devices did everything. 1 if all are zero.
/// Throws bad_argument ("busy") if it is empty or a value is negative or not finite.
double imbalance(std::span<double const> busy);
double imbalance(std::span<device_load const> loads);  ///< of their busy times

}  // namespace ballast::inline trace

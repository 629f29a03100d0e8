// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comparison.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"

namespace ballast::md {

/// The energies at one step of a run.
struct energy_row {
  std::int64_t step;
  totals sums;
  double kinetic, temperature;
};

/// For people: what was run, the energies, and the solutions side by side.
std::string report_as_text(comparison_plan const& plan, comparison const& result,
                           std::vector<energy_row> const& energies, charset drawn_with);

/// The physics of a run as one object.
json_value physics_as_json(comparison_plan const& plan);

/// For programs: see docs/md.md for the members.
json_value report_as_json(comparison_plan const& plan, comparison const& result);

}  // namespace ballast::md

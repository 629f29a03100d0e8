// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "comparison.hpp"
#include "report/json_value.hpp"
#include "report/run_record.hpp"
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

/// For programs: docs/reference/md-output.md has the members.
json_value report_as_json(comparison_plan const& plan, comparison const& result);

/// What the names of the solutions that ran mean, a line each.
std::string legend_of(comparison const& result);

/// Two sentences, without a newline: for which part of the time S1 left its most idle device without work,
/// and TQ's time over S1's. If only one of the two ran they say so; if neither did, it is empty.
std::string gain_of(comparison const& result);

/// The result of a comparison in the project's one format (bench/SCHEMA.md, "md/solutions"): raw samples of
/// every repetition, the machine, the commit. `started`: utc_now() before the run. The command line is this
/// process's.
run_record record_of(comparison_plan const& plan, comparison const& result, device_list const& devices,
                     std::string started);

}  // namespace ballast::md

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

/// For people: the run, the energies, and the solutions side by side.
std::string report_as_text(comparison_plan const& plan, comparison const& result,
                           std::vector<energy_row> const& energies, charset drawn_with);

/// The physics of a run as one object.
json_value physics_as_json(comparison_plan const& plan);

/// For programs: docs/reference/md-output.md lists the members.
json_value report_as_json(comparison_plan const& plan, comparison const& result);

/// The meaning of the names of the solutions that ran, a line each.
std::string legend_of(comparison const& result);

/// Two sentences, without a newline: the fraction of the time for which S1 left its most idle device without
/// work, and TQ's time over S1's. They mention if only one of the two ran; empty if neither did.
std::string gain_of(comparison const& result);

/// The result of a comparison in the project's one format (bench/SCHEMA.md, "md/solutions"): raw samples of
/// every repetition, the machine, the commit. `started`: utc_now() before the run. The command line is this
/// process's.
run_record record_of(comparison_plan const& plan, comparison const& result, device_list const& devices,
                     std::string started);

}  // namespace ballast::md

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/device.hpp"
#include "comparison.hpp"
#include "report/run_record.hpp"

namespace ballast::md {

/// The result of a comparison in the project's one format (bench/SCHEMA.md, "md/solutions"): raw samples of
/// every repetition, the machine, the commit. `started`: utc_now() before the run. The command line is this
/// process's.
run_record record_of(comparison_plan const& plan, comparison const& result, device_list const& devices,
                     std::string started);

}  // namespace ballast::md

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "link_matrix.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"

namespace ballast::cli {

/// The devices as a table, and the links as a matrix of rates and one of delays; "*" marks links whose
/// target's kernels can address the source's memory directly.
std::string listing_as_text(device_list const& devices, std::optional<link_matrix> const& links,
                            charset drawn_with);

/// {"devices": [{"name", "backend", "model", ...}], "links": {"places", "gigabytes_per_second",
/// "microseconds", "direct"} or null}; the three matrices are lists of rows, row: from, column: to.
json_value listing_as_json(device_list const& devices, std::optional<link_matrix> const& links);

/// One row for each cost and one column for each device, "-" where nothing was measured, and the file that
/// holds them.
std::string calibration_as_text(std::vector<calibrated_device> const& calibrated, charset drawn_with);

/// {"file": ..., "devices": [{"name", "calibrated": "2026-11-26", "costs": {"launch_ns": ..., ...}}]},
/// without costs that were not measured.
json_value calibration_as_json(std::vector<calibrated_device> const& calibrated);

}  // namespace ballast::cli

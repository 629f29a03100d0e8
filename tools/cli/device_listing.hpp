// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ballast/device.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"

namespace ballast::cli {

/// The devices as a table, and the links as one matrix of rates and one of delays; "*" marks a pair whose
/// memories its kernels can address directly.
std::string listing_as_text(device_list const& devices, std::optional<link_matrix> const& links,
                            charset drawn_with);

/// {"devices": [{"name", "backend", "model", ...}], "links": {"places", "gigabytes_per_second",
/// "microseconds", "direct"} or null}; the three matrices are lists of rows, row: from, column: to.
json_value listing_as_json(device_list const& devices, std::optional<link_matrix> const& links);

}  // namespace ballast::cli

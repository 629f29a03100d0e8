// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/json_value.hpp"
#include "search.hpp"

namespace ballast::connect4 {

/// {"values": [7], "best_column", "best_value", "nodes", "stored_tasks", "seconds"}: columns are 1 to 7, a
/// win is "W" or "-W", a full column null.
json_value answer_as_json(search_answer const& answer, double seconds);

}  // namespace ballast::connect4

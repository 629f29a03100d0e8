// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"

namespace ballast::bench {

/// A rank's description of itself, in lines: its host, its usable cores and all cores, and its devices; or
/// the error that refuses this list of devices.
std::string describe_rank(std::string const& devices);

///@{
/// The descriptions of all ranks, by rank; a rank that does not answer is lost.
std::string listing_as_text(std::vector<std::optional<std::string>> const& ranks, charset drawn_with);
json_value listing_as_json(std::vector<std::optional<std::string>> const& ranks);
///@}

}  // namespace ballast::bench

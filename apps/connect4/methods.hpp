// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "search.hpp"

namespace ballast::connect4 {

/// Every method by name.
std::span<search_method const> search_methods();

/// Throws bad_argument ("method") that lists the names.
search_method const& method_named(std::string_view name);

}  // namespace ballast::connect4

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ballast::md {

/// The mass of an element by its symbol in g/mol (helium as in helium_mass), if the table has it: H .. Kr,
/// Xe and a few more.
std::optional<double> mass_of_element(std::string_view symbol);

/// The symbol of the element whose mass is within 0.01 of `mass`; "X" if there is none.
std::string element_of_mass(double mass);

}  // namespace ballast::md

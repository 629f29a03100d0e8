// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// What the members of a launch's struct are called: as parameters and variables are, or with "_" behind it
/// where the struct needs the name for something else, as for one of `further`. "unnamed_1" for one without a
/// name.
std::vector<std::string> member_names(std::vector<std::string> const& wanted, std::set<std::string> further);

}  // namespace ballast::mesicc

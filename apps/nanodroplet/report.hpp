// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/report/json_value.hpp"
#include "droplet.hpp"

namespace ballast::nanodroplet {

/// A droplet's size and its energies in kcal/mol.
json_value energies_as_json(droplet const& system);
std::string energies_as_text(droplet const& system);

}  // namespace ballast::nanodroplet

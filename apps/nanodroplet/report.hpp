// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/json_value.hpp"
#include "run.hpp"

namespace ballast::nanodroplet {

/// A droplet's size and its energies in kcal/mol.
json_value energies_as_json(droplet const& start);
std::string energies_as_text(droplet const& start);

/// The same, and what the chains did.
json_value run_as_json(finished_run const& run);
std::string run_as_text(finished_run const& run);

}  // namespace ballast::nanodroplet

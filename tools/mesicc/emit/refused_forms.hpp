// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "emit/device_functions.hpp"
#include "emit/launches.hpp"
#include "model/diagnostic.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

/// What is right in the dialect, but has a form that cannot be rewritten: an error for each.
std::vector<diagnostic> refused_forms(program const& parsed, device_functions const& functions,
                                      std::vector<clang::VarDecl const*> const& variables,
                                      std::vector<planned_launch> const& launches);

}  // namespace ballast::mesicc

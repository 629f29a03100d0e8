// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/diagnostic.hpp"

namespace ballast::mesicc {

/// What tests/mesicc/analysis/expected/<name>.txt holds; with BALLAST_REWRITE_GOLDEN=1 it is `said` from now
/// on.
std::string golden(std::string const& name, std::string const& said);

/// "k.mcu:3:5: error: ..." and the notes, a line each.
std::string listed(std::vector<diagnostic> const& diagnostics);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "emit/launches.hpp"
#include "model/diagnostic.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

/// An error for each macro of the user that would change what is written into the program.
std::vector<diagnostic> macros_in_the_way(program const& parsed, rewritten_launches const& launches);

}  // namespace ballast::mesicc

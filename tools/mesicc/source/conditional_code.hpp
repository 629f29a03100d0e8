// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "model/diagnostic.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

/// mesicc sees what clang sees of an `#if`; the compilers of the result may see something else where it asks
/// which compiler that is, or whether it compiles for a device. Adds an error for each such name within one
/// of the functions, and a warning for each one elsewhere in the user's files.
void find_conditions_on_compilers(program const& parsed,
                                  std::vector<clang::FunctionDecl const*> const& of_kernels,
                                  std::vector<diagnostic>& found);

}  // namespace ballast::mesicc

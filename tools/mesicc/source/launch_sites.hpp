// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <vector>

#include "model/diagnostic.hpp"
#include "model/launch_model.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

/// One `kernel<<[x, y]>>(...)` of the program.
struct launch_site {
  clang::CUDAKernelCallExpr const* call = nullptr;
  clang::FunctionDecl const* kernel = nullptr;  ///< its definition
  launch_model model;
  std::vector<int> arguments;  ///< for each array of the model: its index among the arguments; -1: none
  std::vector<clang::VarDecl const*> named;  ///< for each array without an argument: the variable that the
                                             ///< kernel names itself, in the order of the arrays
};

struct launch_sites {
  std::vector<launch_site> sites;       ///< in the order of the source
  std::vector<diagnostic> diagnostics;  ///< if one is an error, the sites must not be used

  bool has_errors() const;
};

/// All launches of a program in which clang has found no error, as models for the analysis; and every use of
/// features that the dialect does not have, in the order of the source.
launch_sites launches_of(program const& parsed);

}  // namespace ballast::mesicc

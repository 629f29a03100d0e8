// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ExprCXX.h>

#include <vector>

#include "model/diagnostic.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

struct checked_launch {
  clang::CUDAKernelCallExpr const* call;
  clang::FunctionDecl const* within;  ///< null outside of functions
};

struct checked_parts {
  std::vector<checked_launch> launches;  ///< that can be modelled, in the order of the source
};

/// Looks at all that is not inside of a kernel: shared variables, the heads of kernels, launches, and what
/// host code may not name. What the dialect does not have is added to `found`.
checked_parts checked_program(program const& parsed, std::vector<diagnostic>& found);

}  // namespace ballast::mesicc

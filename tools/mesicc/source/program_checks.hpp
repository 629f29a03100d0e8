// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>
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

/// The kernels of a program with all functions that they may call, through constructors, destructors, default
/// arguments and functions of libraries too, as far as they have a body; each one once.
std::vector<clang::FunctionDecl const*> functions_of_kernels(program const& parsed);

/// A function that is not `__device__`, as a `constexpr` one that a kernel calls, is host code as well, where
/// a shared variable is something else: what it names of them is added to `found`.
void refuse_shared_variables_of_host_code(program const& parsed,
                                          std::vector<clang::FunctionDecl const*> const& of_kernels,
                                          std::vector<diagnostic>& found);

/// mesicc sees what clang sees of an `#if`; the compilers of the result may see something else where it asks
/// which compiler that is, or whether it compiles for a device. Adds an error for each such name within one
/// of the functions, and a warning for each one elsewhere in the user's files.
void find_conditions_on_compilers(program const& parsed,
                                  std::vector<clang::FunctionDecl const*> const& of_kernels,
                                  std::vector<diagnostic>& found);

}  // namespace ballast::mesicc

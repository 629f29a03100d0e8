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

/// Checks everything outside of kernels: shared variables, the heads of kernels, launches, and names that
/// host code must not use. Adds uses of features that the dialect does not have to `found`.
checked_parts checked_program(program const& parsed, std::vector<diagnostic>& found);

/// The kernels of a program with all functions that they may call and that have a body, including
/// constructors, destructors, default arguments and library functions; each one once.
std::vector<clang::FunctionDecl const*> functions_of_kernels(program const& parsed);

/// Adds to `found` the uses of shared variables in functions that are not `__device__`, such as a `constexpr`
/// one that a kernel calls. Such a function is host code as well, where a shared variable is something else.
void refuse_shared_variables_of_host_code(program const& parsed,
                                          std::vector<clang::FunctionDecl const*> const& of_kernels,
                                          std::vector<diagnostic>& found);

/// Adds to `found` an error for each name within one of the functions by which an `#if` asks for the compiler
/// or for a device compilation, and a warning for each one elsewhere in the user's files. mesicc sees clang's
/// result of such an `#if`; the compilers of the translated program may see another one.
void find_conditions_on_compilers(program const& parsed,
                                  std::vector<clang::FunctionDecl const*> const& of_kernels,
                                  std::vector<diagnostic>& found);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

#include "model/diagnostic.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

/// The kernels of a program with all functions that they may call, through constructors, destructors, default
/// arguments and functions of libraries too, as far as they have a body; each one once.
std::vector<clang::FunctionDecl const*> functions_of_kernels(program const& parsed);

/// A function that is not `__device__`, as a `constexpr` one that a kernel calls, is host code as well, where
/// a shared variable is something else: what it names of them is added to `found`.
void refuse_shared_variables_of_host_code(program const& parsed,
                                          std::vector<clang::FunctionDecl const*> const& of_kernels,
                                          std::vector<diagnostic>& found);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>

#include <string>
#include <vector>

#include "emit/renamed_globals.hpp"
#include "emit/source_rewriter.hpp"

namespace ballast::mesicc {

/// `__global__ int a[N], b[M];` becomes `ballast::mesi::variable<int[N]> a{"a"};
/// ballast::mesi::variable<int[M]> b{"b"};`. In the order of the source.
void rewrite_declarations(std::vector<clang::VarDecl const*> const& variables, renamed_globals const& renamed,
                          source_rewriter& rewriter);

}  // namespace ballast::mesicc

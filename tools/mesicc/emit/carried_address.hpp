// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

namespace ballast::mesicc {

/// Whether a value of this type may hold an address that it does not own.
bool may_carry_an_address(clang::QualType type);

/// std::thread and std::jthread: what a thread of its own uses, it may use at any time.
bool is_thread(clang::QualType type);

}  // namespace ballast::mesicc

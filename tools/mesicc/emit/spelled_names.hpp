// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <string>

namespace ballast::mesicc {

/// "::space::name", which has the same meaning everywhere. Unnamed namespaces are not spelt.
std::string qualified_name(clang::NamedDecl const& declared);
/// "::space::" for members of that namespace.
std::string qualifier_of(clang::DeclContext const* around);

/// "int (*a)[64]": a declaration of `name`, with types spelt as outside of all namespaces.
std::string declaration_of(std::string const& name, clang::QualType type, clang::ASTContext const& context);

/// All identifiers and keywords of a C++ text, except in strings, and whether "(" follows.
std::map<std::string, bool> words_of(std::string const& text);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <string>

namespace ballast::mesicc {

/// "::space::name", which is the same thing wherever it stands. Namespaces without a name are not spelt.
std::string qualified_name(clang::NamedDecl const& declared);
/// "::space::" for what is in it.
std::string qualifier_of(clang::DeclContext const* around);

/// "int (*a)[64]": a declaration of `name`, with types as they are spelt outside of all namespaces.
std::string declaration_of(std::string const& name, clang::QualType type, clang::ASTContext const& context);

/// All identifiers and keywords of a text of C++, but for those in its strings; and whether "(" is behind
/// one.
std::map<std::string, bool> words_of(std::string const& text);

}  // namespace ballast::mesicc

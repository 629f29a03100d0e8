// SPDX-License-Identifier: Apache-2.0
#include "emit/spelled_names.hpp"

#include <clang/Lex/Lexer.h>

namespace ballast::mesicc {

std::string qualified_name(clang::NamedDecl const& declared) {
  auto text = "::" + declared.getNameAsString();
  for (auto const* around = declared.getDeclContext(); around != nullptr; around = around->getParent()) {
    auto const* const space = llvm::dyn_cast<clang::NamespaceDecl>(around);
    if (space != nullptr && !space->isAnonymousNamespace()) text = "::" + space->getNameAsString() + text;
  }
  return text;
}

std::string declaration_of(std::string const& name, clang::QualType type, clang::ASTContext const& context) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto policy = context.getPrintingPolicy();
  policy.FullyQualifiedName = true;
  policy.SuppressUnwrittenScope = true;
  type.print(stream, policy, name);
  return text;
}

std::set<std::string> words_of(std::string const& text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = true;
  clang::Lexer lexer({}, language, text.data(), text.data(), text.data() + text.size());
  std::set<std::string> words;
  for (clang::Token token; !lexer.LexFromRawLexer(token);)
    if (token.is(clang::tok::raw_identifier)) words.insert(token.getRawIdentifier().str());
  return words;
}

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#include "emit/spelled_names.hpp"

#include <clang/Lex/Lexer.h>

namespace ballast::mesicc {

std::string qualifier_of(clang::DeclContext const* around) {
  std::string text = "::";
  for (; around != nullptr; around = around->getParent()) {
    auto const* const space = llvm::dyn_cast<clang::NamespaceDecl>(around);
    if (space != nullptr && !space->isAnonymousNamespace()) text = "::" + space->getNameAsString() + text;
  }
  return text;
}

std::string qualified_name(clang::NamedDecl const& declared) {
  return qualifier_of(declared.getDeclContext()) + declared.getNameAsString();
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

std::map<std::string, bool> words_of(std::string const& text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = true;
  clang::Lexer lexer({}, language, text.data(), text.data(), text.data() + text.size());
  std::map<std::string, bool> words;
  std::string before;
  bool names_directive = false;
  for (clang::Token token;;) {
    bool const is_last = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::l_paren) && !before.empty()) words[before] = true;
    bool const is_word = token.is(clang::tok::raw_identifier) && !names_directive;
    before = is_word ? token.getRawIdentifier().str() : "";
    if (is_word) words.emplace(before, false);
    names_directive = token.is(clang::tok::hash);
    if (is_last) return words;
  }
}

}  // namespace ballast::mesicc

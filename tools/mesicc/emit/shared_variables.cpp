// SPDX-License-Identifier: Apache-2.0
#include "emit/shared_variables.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <string_view>

namespace ballast::mesicc {
namespace {

using clang::SourceLocation;

/// The start of the declaration of this variable and its neighbours: __global__ or the first specifier.
SourceLocation begin_of_group(clang::VarDecl const& variable, clang::SourceManager const& sources) {
  auto const mark = sources.getExpansionLoc(variable.getAttr<clang::AnnotateAttr>()->getLocation());
  auto const specifier = sources.getExpansionLoc(variable.getBeginLoc());
  return sources.isBeforeInTranslationUnit(mark, specifier) ? mark : specifier;
}

/// The start of the name with its qualifier, as in a definition of "space::a".
SourceLocation begin_of_name(clang::VarDecl const& variable) {
  auto const qualifier = variable.getQualifierLoc();
  return qualifier ? qualifier.getBeginLoc() : variable.getLocation();
}

struct specifiers {
  std::string storage;  ///< "static ", "extern " or empty
  std::string element;  ///< "unsigned int"
};

/// The text from `begin` to `end`, token by token.
specifiers specifiers_between(SourceLocation begin, SourceLocation end, source_rewriter const& rewriter) {
  auto const& sources = rewriter.sources();
  specifiers found;
  clang::Token token;
  for (auto at = begin; sources.isBeforeInTranslationUnit(at, end); at = token.getEndLoc()) {
    if (clang::Lexer::getRawToken(at, token, sources, rewriter.language(), true)) break;
    if (!sources.isBeforeInTranslationUnit(token.getLocation(), end)) break;
    auto const word = clang::Lexer::getSpelling(token, sources, rewriter.language());
    if (word == "__global__") continue;
    if (word == "static" || word == "extern" || word == "inline")
      found.storage += word + " ";
    else
      found.element +=
          (found.element.empty() || word == "::" || found.element.ends_with("::") ? "" : " ") + word;
  }
  return found;
}

/// "[4096][4096]".
std::string sizes_as_numbers(clang::VarDecl const& variable) {
  std::string text;
  auto const* array = llvm::dyn_cast<clang::ConstantArrayType>(variable.getType().getTypePtr());
  for (; array != nullptr;
       array = llvm::dyn_cast<clang::ConstantArrayType>(array->getElementType().getTypePtr()))
    text += "[" + std::to_string(array->getSize().getZExtValue()) + "]";
  return text;
}

/// "[N][N]", or "" for a variable that is no array or whose type has a name.
std::string sizes_as_written(clang::VarDecl const& variable, source_rewriter const& rewriter) {
  auto const& sources = rewriter.sources();
  auto const end = sources.getExpansionLoc(variable.getTypeSourceInfo()->getTypeLoc().getEndLoc());
  if (!sources.isBeforeInTranslationUnit(variable.getLocation(), end)) return {};
  auto const first =
      clang::Lexer::getLocForEndOfToken(variable.getLocation(), 0, sources, rewriter.language());
  return rewriter.text_of({first, end});
}

std::string with_blanks_removed(std::string text) {
  text.erase(0, text.find_first_not_of(" \t"));
  return text;
}

bool in_one_declaration(clang::VarDecl const* one, clang::VarDecl const* other) {
  return one->getBeginLoc() == other->getBeginLoc();
}

class declaration_group {
 public:
  declaration_group(std::vector<clang::VarDecl const*> variables, renamed_globals const& renamed,
                    source_rewriter& rewriter)
      : variables_(std::move(variables)),
        renamed_(renamed),
        rewriter_(rewriter),
        begin_(begin_of_group(*variables_.front(), rewriter.sources())),
        words_(specifiers_between(begin_, begin_of_name(*variables_.front()), rewriter)) {}

  void rewrite() {
    std::string before;
    for (auto const* const variable : variables_) {
      auto const type = words_.element + sizes_of(*variable);
      rewrite_head(*variable, type, before);
      rewrite_sizes(*variable);
      before = type;
    }
  }

 private:
  std::string sizes_of(clang::VarDecl const& variable) const {
    auto const written = with_blanks_removed(sizes_as_written(variable, rewriter_));
    return renamed_.are_named_in(written) ? sizes_as_numbers(variable) : written;
  }

  /// Rewrites the text before the name. Variables of one type stay in one declaration.
  void rewrite_head(clang::VarDecl const& variable, std::string const& type, std::string const& type_before) {
    auto const head = words_.storage + "ballast::mesi::variable<" + type + "> ";
    auto const name = begin_of_name(variable);
    if (type_before.empty()) return rewriter_.replace_up_to(begin_, name, head);
    if (type != type_before) rewriter_.replace_up_to(comma_before(name), name, "; " + head);
  }

  SourceLocation comma_before(SourceLocation name) const {
    auto const& sources = rewriter_.sources();
    auto at = name.getLocWithOffset(-1);
    while (*sources.getCharacterData(at) != ',') at = at.getLocWithOffset(-1);
    return at;
  }

  /// Rewrites the text after the name.
  void rewrite_sizes(clang::VarDecl const& variable) {
    bool const elsewhere = variable.hasExternalStorage();
    auto const named = elsewhere ? std::string() : "{\"" + variable.getNameAsString() + "\"}";
    auto const name = variable.getLocation();
    auto const last =
        rewriter_.sources().getExpansionLoc(variable.getTypeSourceInfo()->getTypeLoc().getEndLoc());
    if (!rewriter_.sources().isBeforeInTranslationUnit(name, last))
      return rewriter_.insert_after(name, named);
    auto const first = clang::Lexer::getLocForEndOfToken(name, 0, rewriter_.sources(), rewriter_.language());
    auto const end = clang::Lexer::getLocForEndOfToken(last, 0, rewriter_.sources(), rewriter_.language());
    rewriter_.replace_up_to(first, end, named);
  }

  std::vector<clang::VarDecl const*> variables_;
  renamed_globals const& renamed_;
  source_rewriter& rewriter_;
  SourceLocation begin_;
  specifiers words_;
};

}  // namespace

void rewrite_declarations(std::vector<clang::VarDecl const*> const& variables, renamed_globals const& renamed,
                          source_rewriter& rewriter) {
  for (auto first = variables.begin(); first != variables.end();) {
    auto const last = std::find_if_not(first, variables.end(),
                                       [&](auto const* other) { return in_one_declaration(*first, other); });
    declaration_group({first, last}, renamed, rewriter).rewrite();
    first = last;
  }
}

}  // namespace ballast::mesicc

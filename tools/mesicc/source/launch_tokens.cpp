// SPDX-License-Identifier: Apache-2.0
#include "source/launch_tokens.hpp"

#include <clang/Lex/Lexer.h>

#include <cstddef>
#include <optional>

namespace ballast::mesicc {
namespace {

struct token {
  unsigned offset;
  clang::tok::TokenKind kind;
};

/// `text` ends with a zero behind its last byte, as that of std::string does.
std::vector<token> tokens_of(std::string const& text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.CPlusPlus20 = language.Bool = language.LineComment = language.RawStringLiterals = true;
  clang::Lexer lexer({}, language, text.data(), text.data(), text.data() + text.size());
  std::vector<token> found;
  clang::Token next;
  do {
    lexer.LexFromRawLexer(next);
    found.push_back({lexer.getCurrentBufferOffset() - next.getLength(), next.getKind()});
  } while (next.isNot(clang::tok::eof));
  return found;
}

bool follow_each_other(std::vector<token> const& tokens, std::size_t first, clang::tok::TokenKind a,
                       clang::tok::TokenKind b, unsigned length_of_a) {
  if (first + 1 >= tokens.size() || tokens[first].kind != a || tokens[first + 1].kind != b) return false;
  return tokens[first + 1].offset == tokens[first].offset + length_of_a;
}

std::optional<std::size_t> matching_bracket(std::vector<token> const& tokens, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < tokens.size(); ++at) {
    if (tokens[at].kind == clang::tok::semi) return std::nullopt;
    if (tokens[at].kind == clang::tok::l_square) ++depth;
    if (tokens[at].kind == clang::tok::r_square && --depth == 0) return at;
  }
  return std::nullopt;
}

/// The place of `]` in `]>>(` that ends what `<<[` at `first` begins.
std::optional<std::size_t> end_of_launch(std::vector<token> const& tokens, std::size_t first) {
  if (!follow_each_other(tokens, first, clang::tok::lessless, clang::tok::l_square, 2)) return std::nullopt;
  auto const close = matching_bracket(tokens, first + 1);
  if (!close || !follow_each_other(tokens, *close, clang::tok::r_square, clang::tok::greatergreater, 1))
    return std::nullopt;
  if (*close + 2 >= tokens.size() || tokens[*close + 2].kind != clang::tok::l_paren) return std::nullopt;
  return close;
}

}  // namespace

code_with_launches with_launches_of_cuda(std::string_view code) {
  code_with_launches made{std::string(code), {}};
  if (code.find("<<[") == std::string_view::npos) return made;
  auto const tokens = tokens_of(made.text);
  for (std::size_t first = 0; first < tokens.size(); ++first) {
    auto const close = end_of_launch(tokens, first);
    if (!close) continue;
    made.text[tokens[first + 1].offset] = '<';
    made.text[tokens[*close].offset] = '>';
    made.launches.push_back(tokens[first].offset);
  }
  return made;
}

}  // namespace ballast::mesicc

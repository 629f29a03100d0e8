// SPDX-License-Identifier: Apache-2.0
#include "emit/source_rewriter.hpp"

#include <clang/Lex/Lexer.h>

#include "source/dialect.hpp"

namespace ballast::mesicc {

source_rewriter::place source_rewriter::place_of(clang::SourceLocation token) {
  auto const spelled = sources_.getSpellingLoc(token);
  if (!is_of_user(spelled, sources_)) {
    failures_.push_back(token);
    return {};
  }
  auto const [file, offset] = sources_.getDecomposedLoc(spelled);
  return {file, offset, clang::Lexer::MeasureTokenLength(spelled, sources_, language_)};
}

void source_rewriter::replace_token(clang::SourceLocation token, std::string const& text) {
  replace_tokens({token, token}, text);
}

void source_rewriter::replace_tokens(clang::SourceRange range, std::string const& text) {
  auto const first = place_of(range.getBegin()), last = place_of(range.getEnd());
  if (first.file.isInvalid() || last.file.isInvalid()) return;
  bool const in_order = first.file == last.file && first.offset <= last.offset;
  auto const end = last.offset + last.length;
  if (!in_order || !edits_[first.file].replace(first.offset, end - first.offset, text))
    failures_.push_back(range.getBegin());
}

void source_rewriter::replace_up_to(clang::SourceLocation first, clang::SourceLocation end,
                                    std::string const& text) {
  auto const begin = place_of(first), stop = place_of(end);
  if (begin.file.isInvalid() || stop.file.isInvalid()) return;
  bool const in_order = begin.file == stop.file && begin.offset <= stop.offset;
  if (!in_order || !edits_[begin.file].replace(begin.offset, stop.offset - begin.offset, text))
    failures_.push_back(first);
}

void source_rewriter::insert(clang::SourceLocation token, place const& at, unsigned offset,
                             std::string const& text) {
  if (at.file.isInvalid()) return;
  if (kept_.contains({at.file, at.offset})) return fail(token);
  edits_[at.file].insert(offset, text);
}

void source_rewriter::insert_before(clang::SourceLocation token, std::string const& text) {
  auto const at = place_of(token);
  insert(token, at, at.offset, text);
}

void source_rewriter::insert_after(clang::SourceLocation token, std::string const& text) {
  auto const at = place_of(token);
  insert(token, at, at.offset + at.length, text);
}

void source_rewriter::insert_once_after(clang::SourceLocation token, std::string const& text) {
  auto const at = place_of(token);
  if (at.file.isInvalid()) return;
  auto const [known, is_new] = inserted_once_.try_emplace({at.file, at.offset}, text);
  if (!is_new && known->second != text) return fail(token);
  if (is_new && !text.empty()) insert(token, at, at.offset + at.length, text);
}

bool source_rewriter::is_replaced(clang::SourceLocation token) {
  auto const at = place_of(token);
  auto const known = edits_.find(at.file);
  return known != edits_.end() && known->second.has_replaced(at.offset, at.length);
}

void source_rewriter::keep_token(clang::SourceLocation token) {
  auto const at = place_of(token);
  if (at.file.isValid()) kept_.insert({at.file, at.offset});
}

std::string source_rewriter::text_of(clang::SourceRange range) const {
  auto const characters = clang::CharSourceRange::getTokenRange(range);
  auto const in_file = clang::Lexer::makeFileCharRange(characters, sources_, language_);
  return clang::Lexer::getSourceText(in_file, sources_, language_).str();
}

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#include "emit/include_directives.hpp"

#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PreprocessingRecord.h>

namespace ballast::mesicc {
namespace {

std::size_t end_of(clang::SourceLocation last, clang::Preprocessor& preprocessor) {
  auto const& sources = preprocessor.getSourceManager();
  if (last.isMacroID()) last = sources.getExpansionRange(last).getEnd();
  auto const length = clang::Lexer::MeasureTokenLength(last, sources, preprocessor.getLangOpts());
  return sources.getFileOffset(last) + length;
}

bool is_guarded_by_pragma(clang::FileEntryRef file, clang::Preprocessor& preprocessor) {
  auto const* const known = preprocessor.getHeaderSearchInfo().getExistingFileInfo(file);
  return known != nullptr && known->isPragmaOnce;
}

}  // namespace

std::map<clang::FileID, std::vector<include_directive>> include_directives_of(
    clang::Preprocessor& preprocessor) {
  std::map<clang::FileID, std::vector<include_directive>> found;
  auto* const record = preprocessor.getPreprocessingRecord();
  if (record == nullptr) return found;
  for (auto const* const entity : *record) {
    auto const* const directive = llvm::dyn_cast_or_null<clang::InclusionDirective>(entity);
    if (directive == nullptr) continue;
    auto const range = directive->getSourceRange();
    auto const [file, begin] = preprocessor.getSourceManager().getDecomposedLoc(range.getBegin());
    auto const included = directive->getFile();
    found[file].push_back({begin, end_of(range.getEnd(), preprocessor), directive->getFileName().str(),
                           directive->wasInQuotes(), included ? &included->getFileEntry() : nullptr,
                           included && is_guarded_by_pragma(*included, preprocessor)});
  }
  return found;
}

std::vector<text_span> once_pragmas_of(clang::FileID file, clang::Preprocessor& preprocessor) {
  auto const& sources = preprocessor.getSourceManager();
  clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, preprocessor.getLangOpts());
  std::vector<text_span> found;
  std::size_t begin = 0;
  int words = 0;  // of "# pragma once" that were just seen
  constexpr char const* of_pragma[] = {"pragma", "once"};
  for (clang::Token token;;) {
    bool const is_last = lexer.LexFromRawLexer(token);
    auto const offset = std::size_t(sources.getFileOffset(token.getLocation()));
    bool const goes_on = words > 0 && !token.isAtStartOfLine() && token.is(clang::tok::raw_identifier) &&
                         token.getRawIdentifier() == of_pragma[words - 1];
    if (token.is(clang::tok::hash) && token.isAtStartOfLine())
      begin = offset, words = 1;
    else
      words = goes_on ? words + 1 : 0;
    if (words == 3) found.push_back({begin, offset + token.getLength()}), words = 0;
    if (is_last) return found;
  }
}

}  // namespace ballast::mesicc

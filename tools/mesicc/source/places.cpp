// SPDX-License-Identifier: Apache-2.0
#include "source/places.hpp"

#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace ballast::mesicc {

place place_of(clang::SourceLocation location, clang::SourceManager const& sources) {
  if (location.isInvalid()) return {};
  auto const [file, offset] = sources.getDecomposedExpansionLoc(location);
  auto const name = sources.getFilename(sources.getExpansionLoc(location));
  return {name.str(), sources.getLineNumber(file, offset), sources.getColumnNumber(file, offset), offset, 0};
}

place place_of(clang::SourceRange range, clang::SourceManager const& sources,
               clang::LangOptions const& language) {
  auto found = place_of(range.getBegin(), sources);
  if (range.isInvalid()) return found;
  auto const [file, begin] = sources.getDecomposedExpansionLoc(range.getBegin());
  auto const last = sources.getExpansionRange(range.getEnd()).getEnd();
  auto const [end_file, end] =
      sources.getDecomposedLoc(clang::Lexer::getLocForEndOfToken(last, 0, sources, language));
  if (end_file != file || end <= begin) return found;
  auto const line = sources.getBufferData(file).substr(begin, end - begin).split('\n').first;
  found.length = std::uint32_t(line.size());
  return found;
}

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#include "emit/assembled_source.hpp"

#include <clang/Basic/FileEntry.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PreprocessingRecord.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emit/line_directive.hpp"
#include "source/places.hpp"

namespace ballast::mesicc {
namespace {

/// `#include "name"` as the preprocessor executed it.
struct include_directive {
  std::size_t begin, end;  ///< offsets of '#' and of the end of the name
  std::string name;        ///< as it is written
  bool in_quotes;
  clang::FileEntry const* file;  ///< null if there is none
  bool is_guarded_by_pragma;     ///< by #pragma once
};

/// A stretch of a file's text.
struct text_span {
  std::size_t begin, end;
};

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

/// The include directives of each entered file.
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

/// The #pragma once directives of a file.
std::vector<text_span> once_pragmas_of(clang::FileID file, clang::Preprocessor& preprocessor) {
  auto const& sources = preprocessor.getSourceManager();
  clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, preprocessor.getLangOpts());
  std::vector<text_span> found;
  std::size_t begin = 0;
  int words = 0;  // words of "# pragma once" seen last
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

using clang::FileID;

std::string with_end_of_line(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

/// Adds the quotes or angle brackets. Nothing for a name that no #include can contain, since it has no
/// escapes.
std::optional<std::string> as_header_name(std::string const& path) {
  auto const has = [&](char const* character) { return path.find_first_of(character) != std::string::npos; };
  if (has("\n") || (has("\"") && has(">"))) return std::nullopt;
  return has("\"") ? "<" + path + ">" : "\"" + path + "\"";
}

class assembly {
 public:
  assembly(clang::Preprocessor& preprocessor, std::map<FileID, file_edits> edits, bool headers_by_path,
           std::vector<diagnostic>& found)
      : preprocessor_(preprocessor),
        found_(found),
        headers_by_path_(headers_by_path),
        sources_(preprocessor.getSourceManager()),
        edits_(std::move(edits)),
        directives_(include_directives_of(preprocessor)) {
    for (auto const& [file, changes] : edits_) record_ways_to(file);
    while (notes_more()) {}
  }

  std::string text_of(FileID file) {
    auto const text = std::string(sources_.getBufferData(file));
    auto changes = edits_[file];
    bool const is_main = file == sources_.getMainFileID();
    for (auto const& directive : directives_[file]) {
      if (auto const included = entered_by(file, directive); included.isValid())
        put_in_place(included, directive, text, changes);
      else if (is_repeated(file, directive))
        (void)changes.replace(directive.begin, directive.end - directive.begin, "");
      else if (headers_by_path_ && directive.in_quotes && directive.file != nullptr)
        name_by_path(file, directive, changes);
      else if (!is_main && directive.in_quotes)
        find_beside(file, directive, text, changes);
    }
    if (!is_main)
      for (auto const& [begin, end] : once_pragmas_of(file, preprocessor_))
        (void)changes.replace(begin, end - begin, "");
    if (text.starts_with(byte_order_mark)) (void)changes.replace(0, byte_order_mark.size(), "");
    return with_end_of_line(changes.apply_to(text));
  }

 private:
  std::string name_of(FileID file) const {
    auto const entry = sources_.getFileEntryRefForID(file);
    return entry ? entry->getName().str() : std::string();
  }

  /// Marks headers that include a changed header, which must be in place themselves. False if all are marked.
  bool record_ways_to(FileID file) {
    bool more = false;
    for (auto at = file; at != sources_.getMainFileID();) {
      auto const includer = sources_.getDecomposedIncludedLoc(at).first;
      if (includer.isInvalid()) return more;
      more = included_in_[includer].insert(at).second || more;
      at = includer;
    }
    return more;
  }
  /// Marks headers that would include an in-place header a second time, which must be in place themselves.
  /// False if all are marked.
  bool notes_more() {
    bool more = false;
    for (auto const& [file, all] : directives_)
      for (auto const& directive : all)
        if (is_repeated(file, directive)) more = record_ways_to(file) || more;
    return more;
  }

  /// The in-place file that this directive entered, or an invalid one.
  FileID entered_by(FileID file, include_directive const& directive) const {
    auto const found = included_in_.find(file);
    if (found == included_in_.end()) return {};
    for (auto const included : found->second) {
      auto const offset = sources_.getDecomposedIncludedLoc(included).second;
      if (directive.begin <= offset && offset < directive.end) return included;
    }
    return {};
  }
  /// True if this directive would include a file again that stands in place. There #pragma once, if it was
  /// the guard, does not prevent that.
  bool is_repeated(FileID file, include_directive const& directive) const {
    if (directive.file == nullptr || !directive.is_guarded_by_pragma) return false;
    if (entered_by(file, directive).isValid()) return false;
    return std::ranges::any_of(included_in_, [&](auto const& entry) {
      return std::ranges::any_of(entry.second, [&](FileID in_place) {
        return sources_.getFileEntryForID(in_place) == directive.file;
      });
    });
  }

  void put_in_place(FileID included, include_directive const& directive, std::string const& text,
                    file_edits& changes) {
    auto const [includer, offset] = sources_.getDecomposedIncludedLoc(included);
    auto const line_begin = directive.begin == 0 ? 0 : text.rfind('\n', directive.begin - 1) + 1;
    auto const line_end = std::min(text.find('\n', directive.end), text.size());
    bool const begins_line =
        is_blank(std::string_view(text).substr(line_begin, directive.begin - line_begin));
    bool const ends_line = is_blank(std::string_view(text).substr(directive.end, line_end - directive.end));
    auto const next = sources_.getLineNumber(includer, unsigned(directive.end)) + (ends_line ? 1 : 0);
    auto body = (begins_line ? "" : "\n") + line_directive(1, name_of(included)) + text_of(included) +
                line_directive(next, name_of(includer));
    if (ends_line) body.pop_back();
    auto const begin = begins_line ? line_begin : directive.begin, end = ends_line ? line_end : directive.end;
    (void)changes.replace(begin, end - begin, std::move(body));
  }

  /// Replaces a name that a header includes from its own folder by the whole path: the file is not next to
  /// the result.
  void find_beside(FileID header, include_directive const& directive, std::string const& text,
                   file_edits& changes) {
    auto const path = std::filesystem::path(name_of(header)).parent_path() / directive.name;
    std::error_code ignored;
    auto const opening = text.find('"', directive.begin);
    if (!std::filesystem::exists(path, ignored) || opening >= directive.end) return;
    auto const whole = std::filesystem::absolute(path, ignored).lexically_normal();
    auto const begin = text.substr(directive.begin, opening - directive.begin);
    name_it(header, directive, begin, whole.string(), changes);
  }

  void name_by_path(FileID file, include_directive const& directive, file_edits& changes) {
    std::error_code ignored;
    auto const path = std::filesystem::absolute(directive.file->tryGetRealPathName().str(), ignored);
    name_it(file, directive, "#include ", path.string(), changes);
  }

  void name_it(FileID file, include_directive const& directive, std::string const& begin,
               std::string const& path, file_edits& changes) {
    if (auto const name = as_header_name(path))
      return (void)changes.replace(directive.begin, directive.end - directive.begin, begin + *name);
    auto const place = sources_.getLocForStartOfFile(file).getLocWithOffset(int(directive.begin));
    found_.push_back({severity::error,
                      place_of(place, sources_),
                      "the result cannot include '" + directive.name +
                          "', because its folder's name holds an end of line, or '\"' and '>'",
                      {}});
  }

  static constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

  clang::Preprocessor& preprocessor_;
  std::vector<diagnostic>& found_;
  bool headers_by_path_;
  clang::SourceManager const& sources_;
  std::map<FileID, file_edits> edits_;
  std::map<FileID, std::vector<include_directive>> directives_;
  std::map<FileID, std::set<FileID>> included_in_;
};

}  // namespace

std::string assembled_source(clang::Preprocessor& preprocessor, std::map<FileID, file_edits> edits,
                             bool headers_by_path, std::vector<diagnostic>& found) {
  auto const& sources = preprocessor.getSourceManager();
  auto const main = sources.getMainFileID();
  auto const entry = sources.getFileEntryRefForID(main);
  return line_directive(1, entry ? entry->getName().str() : "") +
         assembly(preprocessor, std::move(edits), headers_by_path, found).text_of(main);
}

}  // namespace ballast::mesicc

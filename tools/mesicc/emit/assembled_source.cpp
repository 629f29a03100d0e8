// SPDX-License-Identifier: Apache-2.0
#include "emit/assembled_source.hpp"

#include <clang/Basic/FileEntry.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "emit/line_directive.hpp"

namespace ballast::mesicc {
namespace {

using clang::FileID;

std::string name_of(clang::SourceManager const& sources, FileID file) {
  auto const entry = sources.getFileEntryRefForID(file);
  return entry ? entry->getName().str() : std::string();
}

std::string with_end_of_line(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

template <class F>
void for_each_line(std::string_view text, F f) {
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = std::min(text.find('\n', begin), text.size());
    f(begin, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// Takes `word` and blanks before it off the front of a line.
bool take(std::string_view& line, std::string_view word) {
  auto const first = std::min(line.find_first_not_of(" \t"), line.size());
  if (!line.substr(first).starts_with(word)) return false;
  line.remove_prefix(first + word.size());
  return true;
}

/// Of `#include "name"` or `#include <name>`; empty for other lines.
std::string_view included_name(std::string_view line) {
  if (!take(line, "#") || !take(line, "include") || !(take(line, "\"") || take(line, "<"))) return {};
  return line.substr(0, line.find_first_of("\">"));
}

bool is_pragma_once(std::string_view line) {
  return take(line, "#") && take(line, "pragma") && take(line, "once");
}

class assembly {
 public:
  assembly(clang::SourceManager const& sources, std::map<FileID, file_edits> edits)
      : sources_(sources), edits_(std::move(edits)) {
    for (auto const& [file, changes] : edits_) note_ways_to(file);
  }

  std::string text_of(FileID file) {
    auto const text = std::string(sources_.getBufferData(file));
    auto changes = edits_[file];
    for (auto const included : included_in_[file]) put_in_place(included, text, changes);
    take_away_repeated_includes(file, text, changes);
    auto result = with_end_of_line(changes.apply_to(text));
    return file == sources_.getMainFileID() ? result : without_pragma_once(result);
  }

 private:
  /// Headers that include a changed header have to be there themselves.
  void note_ways_to(FileID file) {
    for (auto at = file; at != sources_.getMainFileID();) {
      auto const [includer, offset] = sources_.getDecomposedIncludedLoc(at);
      if (includer.isInvalid()) return;
      included_in_[includer].insert(at);
      at = includer;
    }
  }

  struct line_span {
    std::size_t begin, end;  ///< without the end of line
  };
  static line_span line_at(std::string const& text, std::size_t offset) {
    auto const before = text.rfind('\n', offset == 0 ? 0 : offset - 1);
    auto const after = text.find('\n', offset);
    return {before == std::string::npos ? 0 : before + 1, after == std::string::npos ? text.size() : after};
  }

  void put_in_place(FileID included, std::string const& text, file_edits& changes) {
    auto const [includer, offset] = sources_.getDecomposedIncludedLoc(included);
    auto const [begin, end] = line_at(text, offset);
    auto const next = sources_.getLineNumber(includer, unsigned(begin)) + 1;
    auto body = line_directive(1, name_of(sources_, included)) + text_of(included) +
                line_directive(next, name_of(sources_, includer));
    body.pop_back();
    (void)changes.replace(begin, end - begin, std::move(body));
    entered_[includer].insert(begin);
  }

  /// A header in place guards no second #include of its file, if it was guarded by #pragma once.
  void take_away_repeated_includes(FileID file, std::string const& text, file_edits& changes) {
    for_each_line(text, [&](std::size_t begin, std::string_view line) {
      auto const name = std::string(included_name(line));
      if (name.empty() || entered_[file].contains(begin)) return;
      if (is_in_place(name))
        (void)changes.replace(begin, line.size(), "");
      else if (file != sources_.getMainFileID())
        find_beside(file, begin, line, name, changes);
    });
  }
  /// What a header includes from beside it is not beside the result.
  void find_beside(FileID header, std::size_t begin, std::string_view line, std::string const& name,
                   file_edits& changes) {
    auto const path = std::filesystem::path(name_of(sources_, header)).parent_path() / name;
    std::error_code ignored;
    if (line.find('"') == std::string_view::npos || !std::filesystem::exists(path, ignored)) return;
    (void)changes.replace(begin + line.find('"') + 1, name.size(), path.string());
  }
  bool is_in_place(std::string const& included) const {
    auto const is_same = [&](FileID file) {
      auto const name = name_of(sources_, file);
      return name == included || name.ends_with("/" + included);
    };
    return std::ranges::any_of(included_in_,
                               [&](auto const& entry) { return std::ranges::any_of(entry.second, is_same); });
  }

  static std::string without_pragma_once(std::string const& text) {
    std::string result;
    for_each_line(text, [&](std::size_t, std::string_view line) {
      result += is_pragma_once(line) ? "\n" : std::string(line) + '\n';
    });
    return result;
  }

  clang::SourceManager const& sources_;
  std::map<FileID, file_edits> edits_;
  std::map<FileID, std::set<FileID>> included_in_;
  std::map<FileID, std::set<std::size_t>> entered_;  ///< beginnings of the lines that include them
};

}  // namespace

std::string assembled_source(clang::SourceManager const& sources, std::map<FileID, file_edits> edits) {
  auto const main = sources.getMainFileID();
  return line_directive(1, name_of(sources, main)) + assembly(sources, std::move(edits)).text_of(main);
}

}  // namespace ballast::mesicc

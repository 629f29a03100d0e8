// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emit/file_edits.hpp"

namespace ballast::mesicc {

/// Records changes to the user's files by places in the syntax tree. A place in a macro means the place of
/// its token: in the macro's body, or among its arguments.
class source_rewriter {
 public:
  source_rewriter(clang::SourceManager const& sources, clang::LangOptions const& language)
      : sources_(sources), language_(language) {}

  void replace_token(clang::SourceLocation token, std::string const& text);
  /// Replaces a range of tokens, both ends included.
  void replace_tokens(clang::SourceRange range, std::string const& text);
  /// Replaces from the first byte of one token up to another, which stays.
  void replace_up_to(clang::SourceLocation first, clang::SourceLocation end, std::string const& text);
  void insert_before(clang::SourceLocation token, std::string const& text);
  void insert_after(clang::SourceLocation token, std::string const& text);
  /// Inserts only once if a macro uses the token several times; different texts are a failure.
  void insert_once_after(clang::SourceLocation token, std::string const& text);
  /// True if the token was replaced.
  bool is_replaced(clang::SourceLocation token);
  /// Forbids insertions at this token, which a macro may use elsewhere.
  void keep_token(clang::SourceLocation token);
  /// Notes a failure.
  void fail(clang::SourceLocation where) { failures_.push_back(where); }

  clang::SourceManager const& sources() const { return sources_; }
  clang::LangOptions const& language() const { return language_; }
  std::map<clang::FileID, file_edits> const& edits() const { return edits_; }
  /// Places that cannot be changed: tokens that macros paste together, and overlapping changes.
  std::vector<clang::SourceLocation> const& failures() const { return failures_; }

  /// The text from one token to another, as the user wrote it; empty if a macro begins or ends between them.
  std::string text_of(clang::SourceRange range) const;

 private:
  struct place {
    clang::FileID file;
    unsigned offset = 0, length = 0;
  };
  /// The place of the token; invalid, and recorded as a failure, if the token is in no file of the user.
  place place_of(clang::SourceLocation token);
  void insert(clang::SourceLocation token, place const& at, unsigned offset, std::string const& text);

  clang::SourceManager const& sources_;
  clang::LangOptions const& language_;
  std::map<clang::FileID, file_edits> edits_;
  std::map<std::pair<clang::FileID, unsigned>, std::string> inserted_once_;
  std::set<std::pair<clang::FileID, unsigned>> kept_;
  std::vector<clang::SourceLocation> failures_;
};

}  // namespace ballast::mesicc

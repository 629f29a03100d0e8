// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/Basic/FileEntry.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ballast::mesicc {

/// `#include "name"` as the preprocessor has carried it out.
struct include_directive {
  std::size_t begin, end;  ///< offsets of '#' and behind the name
  std::string name;        ///< as it is written
  bool in_quotes;
  clang::FileEntry const* file;  ///< null if there is none
  bool is_guarded_by_pragma;     ///< by #pragma once
};

/// Of each file that was entered.
std::map<clang::FileID, std::vector<include_directive>> include_directives_of(
    clang::Preprocessor& preprocessor);

/// A stretch of a file's text.
struct text_span {
  std::size_t begin, end;
};
/// Where a file says #pragma once.
std::vector<text_span> once_pragmas_of(clang::FileID file, clang::Preprocessor& preprocessor);

}  // namespace ballast::mesicc

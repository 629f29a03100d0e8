// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

#include <map>
#include <string>
#include <vector>

#include "emit/file_edits.hpp"
#include "model/diagnostic.hpp"

namespace ballast::mesicc {

/// The main file with all changes. Headers with changes are written out where they are included; the others
/// stay included. #line makes compilers and debuggers show the user's lines. `headers_by_path` as in
/// translation_options. Adds errors to `found` about headers that the result cannot name.
std::string assembled_source(clang::Preprocessor& preprocessor, std::map<clang::FileID, file_edits> edits,
                             bool headers_by_path, std::vector<diagnostic>& found);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/Basic/SourceManager.h>

#include <map>
#include <string>

#include "emit/file_edits.hpp"

namespace ballast::mesicc {

/// The main file with all changes, in which headers that have changes stand where they are included; the
/// other ones stay included. `original` gives a file as the user wrote it. #line makes compilers and
/// debuggers show the user's lines.
std::string assembled_source(clang::SourceManager const& sources, std::map<clang::FileID, file_edits> edits);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>

#include "model/place.hpp"

namespace ballast::mesicc {

/// The place of a range's first token in the user's file, and as much of the range as is on that line. A
/// place in a macro is where the macro is used.
place place_of(clang::SourceRange range, clang::SourceManager const& sources,
               clang::LangOptions const& language);
place place_of(clang::SourceLocation location, clang::SourceManager const& sources);

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"

namespace ballast::mesicc {

/// The text of a file as the user wrote it; empty if there is none.
using source_text = std::function<std::string(std::string const& file)>;

/// A diagnostic in clang's style: "file:line:column: error: message", the line, and marks below the place;
/// then the notes.
std::string text_of(diagnostic const& what, source_text const& source);
/// The texts of all diagnostics, with the files as they are on disk.
std::string texts_of(std::vector<diagnostic> const& all);

}  // namespace ballast::mesicc

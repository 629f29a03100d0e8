// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ballast::mesicc {

/// `#line 7 "file"`, with its end of line: the line behind it is line 7 of the file.
inline std::string line_directive(unsigned line, std::string const& file) {
  std::string escaped;
  for (char const c : file) escaped += c == '\\' || c == '"' ? std::string{'\\', c} : std::string(1, c);
  return "#line " + std::to_string(line) + " \"" + escaped + "\"\n";
}

}  // namespace ballast::mesicc

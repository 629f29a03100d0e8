// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ballast::mesicc {

/// The character as a string literal contains it: an end of line in a file's name would end the directive.
inline std::string escaped(char c) {
  if (c == '\\' || c == '"') return {'\\', c};
  auto const code = static_cast<unsigned char>(c);
  if (code >= ' ' && code != 0x7f) return {c};
  auto const digit = [code](int place) { return char('0' + (code >> (3 * place)) % 8); };
  return {'\\', digit(2), digit(1), digit(0)};
}

/// `#line 7 "file"`, with its end of line: the next line is line 7 of the file.
inline std::string line_directive(unsigned line, std::string const& file) {
  std::string name;
  for (char const c : file) name += escaped(c);
  return "#line " + std::to_string(line) + " \"" + name + "\"\n";
}

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#include "ballast/arguments.hpp"

#include <algorithm>

namespace ballast {

namespace {

std::string enumeration(std::span<std::string_view const> words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += i == 0 ? "" : i + 1 < words.size() ? ", " : " or ";
    all += words[i];
  }
  return all;
}

}  // namespace

std::size_t index_among(std::span<std::string_view const> legal, std::string_view argument,
                        std::string_view word) {
  auto const found = std::find(legal.begin(), legal.end(), word);
  if (found == legal.end()) throw_bad_argument(argument, word, enumeration(legal));
  return static_cast<std::size_t>(found - legal.begin());
}

std::string escape_control_characters(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string line;
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (code >= ' ' && code != 127)
      line += c;
    else if (c == '\n' || c == '\t' || c == '\r')
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else
      line.append("\\x").append({digits[code / 16], digits[code % 16]});
  }
  return line;
}

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.hpp"

#include <cstddef>
#include <string>

namespace ballast {
namespace {

/// One past the string whose opening quote precedes `at`; the text's end if the string does not end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

}  // namespace

void check_json_levels(std::string_view text) {
  int levels = 0;
  for (std::size_t at = 0; at < text.size();) {
    char const sign = text[at++];
    if (sign == '"') at = end_of_string(text, at);
    levels += sign == '[' || sign == '{' ? 1 : sign == ']' || sign == '}' ? -1 : 0;
    if (levels > most_json_levels)
      throw error("is nested too deeply: more than " + std::to_string(most_json_levels) + " levels at byte " +
                  std::to_string(at));
  }
}

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#include "gnuplot_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "code_points.hpp"

namespace ballast {
namespace {

std::string doubled(std::string_view text, char sign) {
  std::string all;
  for (char const letter : text) all.append(letter == sign ? 2 : 1, letter);
  return all;
}

bool is_control(char letter) {
  auto const code = static_cast<unsigned char>(letter);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string inside = doubled(text, '\'');
  std::replace_if(inside.begin(), inside.end(), is_control, ' ');
  return '\'' + inside + '\'';
}

std::string gnuplot_tick(std::string_view text) { return gnuplot_string(doubled(text, '%')); }

std::string plotted(double number) { return fmt::format("{:.9g}", number); }

int pixels_wide(std::string_view text) { return static_cast<int>(code_points(text) * 15 / 2); }

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#include "gnuplot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ballast/error.hpp"
#include "report/html.hpp"
#include "report/table.hpp"

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
  std::string plain(text);
  std::replace_if(plain.begin(), plain.end(), is_control, ' ');
  std::string inside = doubled(legal_text(plain), '\'');
  for (auto at = inside.find("]]>"); at != inside.npos; at = inside.find("]]>", at))
    inside.insert(at + 2, " ");
  return '\'' + inside + '\'';
}

std::string gnuplot_tick(std::string_view text) { return gnuplot_string(doubled(text, '%')); }

std::string plotted(double number) {
  if (!std::isfinite(number)) throw error("the picture would need a number that is not finite");
  return fmt::format("{:.9g}", number);
}

int pixels_wide(std::string_view text) { return static_cast<int>(code_points(text) * 15 / 2); }

std::string frame_commands(picture_size const& picture, panel_frame const& frame) {
  return fmt::format(
      "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at screen "
      "{}\n",
      plotted(picture.x(frame.left)), plotted(picture.x(frame.right)), plotted(picture.y(frame.top)),
      plotted(picture.y(frame.bottom)));
}

std::string legend_commands(picture_size const& picture, panel_frame const& frame) {
  return fmt::format("set key at screen {}, screen {} left top vertical Left reverse samplen 2 maxrows 999\n",
                     plotted(picture.x(frame.right + 8)), plotted(picture.y(frame.top)));
}

int widest(std::vector<std::string> const& texts) {
  int most = 0;
  for (std::string const& one : texts) most = std::max(most, pixels_wide(one));
  return most;
}

int legend_width(std::vector<std::string> const& texts) { return widest(texts) + 60; }

std::string colour(std::size_t number) {
  constexpr std::array<char const*, colours> all = {"'#0072B2'", "'#D55E00'", "'#009E73'", "'#CC79A7'",
                                                    "'#E69F00'", "'#56B4E9'", "'#000000'", "'#888888'"};
  return all.at(number % colours);
}

namespace {

struct prefix {
  double size;
  char const* letter;
};

constexpr std::array small_prefixes = {prefix{1, ""}, prefix{1e-3, "m"}, prefix{1e-6, "µ"},
                                       prefix{1e-9, "n"}};
constexpr std::array large_prefixes = {prefix{1e9, "G"}, prefix{1e6, "M"}, prefix{1e3, "k"}, prefix{1, ""}};

prefix prefix_for(std::array<prefix, 4> const& falling, double largest) {
  for (prefix const& one : falling) {
    if (largest >= one.size) return one;
  }
  return largest > 0 ? falling.back() : prefix{1, ""};
}

bool is_counted(std::string_view unit) {
  return unit == "B" || unit == "tasks" || unit.ends_with("/s") || unit.ends_with("/ms");
}

bool is_short(std::string_view unit) { return unit == "s" || unit == "B" || unit == "B/s"; }

void write_prefixes_on_log_axis(axis_scale& scale, std::string const& shown_unit) {
  scale.tick_format = "%.0s %c" + shown_unit;  // its ticks are powers of ten
}

void write_one_prefix(axis_scale& scale, prefix const& chosen, std::string const& shown_unit) {
  std::string const letters = chosen.letter + shown_unit;
  scale.divisor = chosen.size;
  scale.suffix = letters.empty() ? "" : " " + letters;
  scale.tick_format += scale.suffix;
}

}  // namespace

axis_scale scale_for(std::string_view unit, double smallest, double largest, bool log) {
  axis_scale scale;
  scale.log = log && smallest > 0;
  bool const has_prefixes = unit == "s" || is_counted(unit);
  if (!has_prefixes || (scale.log && unit != "s" && smallest < 1)) return scale;
  scale.includes_unit = is_short(unit);
  std::string const shown_unit(scale.includes_unit ? unit : "");
  auto const& prefixes = unit == "s" ? small_prefixes : large_prefixes;
  if (scale.log) write_prefixes_on_log_axis(scale, shown_unit);
  if (!scale.log) write_one_prefix(scale, prefix_for(prefixes, largest), shown_unit);
  return scale;
}

std::string value_text(std::string_view unit, double value) {
  axis_scale const scale = scale_for(unit, value, std::fabs(value), false);
  return rounded(value / scale.divisor) + scale.suffix;
}

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#include "axis_scale.hpp"

#include <array>
#include <cmath>

#include "report/table.hpp"

namespace ballast {
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

bool is_counted(std::string_view unit) { return unit == "B" || unit.ends_with("/s"); }

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

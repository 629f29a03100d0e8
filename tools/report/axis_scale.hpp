// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ballast {

/// How the values along an axis are written.
struct axis_scale {
  bool log = false;
  bool includes_unit = false;         ///< with each number, so that the axis need not
  double divisor = 1;                 ///< of the values before they are drawn: 0.002 s is drawn at 2,
  std::string suffix = {};            ///< and " ms" follows
  std::string tick_format = "%.10g";  ///< gnuplot's: a number and the suffix
};

/// Seconds get n, µ, m; what is counted per second, and bytes, k, M, G; all else no prefix. `log` is as asked
/// unless `smallest` is 0 or less, which no such axis can show.
axis_scale scale_for(std::string_view unit, double smallest, double largest, bool log);

/// A value for people with the prefix that suits it, "391.2 µs": four significant digits.
std::string value_text(std::string_view unit, double value);

}  // namespace ballast

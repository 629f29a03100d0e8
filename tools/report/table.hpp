// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ballast {

enum class alignment { left, right };
enum class charset { ascii, utf8 };

/// utf8 if LC_ALL, LC_CTYPE or LANG (the first of them that is set) says so, else ascii.
charset charset_of_environment();

struct table_column {
  std::string header;
  alignment side = alignment::right;  ///< right for numbers, left for names
};

/// Text in columns under their headers, two spaces between columns, a rule below the headers.
class table {
 public:
  /// Throws bad_argument ("columns") if there are none.
  explicit table(std::vector<table_column> columns);

  /// Throws bad_argument ("cells") unless there is one cell per column. UTF-8; what a terminal would obey is
  /// escaped (escape_control_characters()), so that whatever a cell quotes it stays one line.
  void add_row(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }

  /// Every line ends with a newline and has no trailing spaces. Each code point is taken for one place wide.
  /// With ascii only the rule changes; cells are written as they are.
  std::string text(charset drawn_with) const;

 private:
  std::string line(std::vector<std::string> const& cells) const;
  void widen(std::vector<std::string> const& cells);

  std::vector<table_column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

/// A number with `digits` significant digits (1 .. 17) for people: no exponent between 0.0001 and 10^15.
std::string rounded(double number, int digits = 4);
/// In what a quantity is shown: seconds in ns, us, ms or s, bytes in B to TiB, what is counted per second in
/// thousands (k), millions (M) or billions (G) of it; any other unit as it is.
struct shown_unit {
  double per_unit;  ///< so many of it are one of the unit of which it is made
  std::string name;
};
/// The one in which `value`, of that unit, has few digits before its point.
shown_unit shown_unit_for(double value, std::string_view unit);
/// "3.8 ns" of 3.8e-9 and "s".
std::string with_unit(double value, std::string_view unit, int digits = 4);
/// Bytes in B, KiB, MiB, GiB or TiB with up to four digits: "141 GiB".
std::string byte_size(std::size_t bytes);

/// How many places a UTF-8 text takes, one for each code point.
inline std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace ballast

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

/// utf8 if the first of LC_ALL, LC_CTYPE and LANG that is set requests it, else ascii.
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

  /// Throws bad_argument ("cells") unless there is one cell per column. UTF-8; control characters are escaped
  /// (escape_control_characters()), so that every cell stays on one line.
  void add_row(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }

  /// Every line ends with a newline and has no trailing spaces. Each code point counts as one column wide.
  /// With ascii only the rule changes; cells are written unchanged.
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
/// The unit in which a quantity is shown: seconds in ns, us, ms or s; bytes in B to TiB; counts per second in
/// thousands (k), millions (M) or billions (G); any other unit unchanged.
struct shown_unit {
  double per_unit;  ///< this many make one of the base unit
  std::string name;
};
/// The unit in which `value` has few digits before its point.
shown_unit shown_unit_for(double value, std::string_view unit);
/// "3.8 ns" for 3.8e-9 and "s".
std::string with_unit(double value, std::string_view unit, int digits = 4);
/// Bytes in B, KiB, MiB, GiB or TiB with up to four digits: "141 GiB".
std::string byte_size(std::size_t bytes);

/// The width of a UTF-8 text in columns, one for each code point.
inline std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace ballast

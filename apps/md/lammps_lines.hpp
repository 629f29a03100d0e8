// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text_file.hpp"

namespace ballast::md {

/// The lines of a LAMMPS data file that hold something, as words, without the title.
class lammps_lines {
 public:
  /// Throws bad_file if the file cannot be opened.
  explicit lammps_lines(std::string const& path);

  /// Goes to the next line that is not empty or all comment; false at the end of the file.
  bool next();

  /// Of the present line; they live until the next call of next().
  std::vector<std::string_view> const& words() const { return words_; }
  std::string_view word(std::size_t i) const { return words_[i]; }
  /// The first word behind the line's '#', or nothing.
  std::string_view hint() const { return hint_; }
  /// Whether the line begins with a number, as those of the header and within sections do.
  bool numeric() const;
  std::string joined() const;

  [[noreturn]] void fail(std::string const& sentence) const { lines_.fail(sentence); }
  double number(std::size_t i, std::string_view what) const { return lines_.number(words_[i], what); }
  std::int64_t integer(std::size_t i, std::string_view what) const { return lines_.integer(words_[i], what); }

 private:
  text_lines lines_;
  std::vector<std::string_view> words_;
  std::string_view hint_;
};

}  // namespace ballast::md

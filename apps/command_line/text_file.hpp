// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/error.hpp"

namespace ballast::command_line {

/// A file cannot be read or is malformed; what() is one sentence that names it and the line.
class bad_file : public error {
 public:
  bad_file(std::string const& path, std::size_t line, std::string const& sentence);
};

/// The file's bytes. Does not call note_read(), since a caller that reads a whole file may replace it. Throws
/// bad_file (line 0: names no line) if it cannot be read.
std::string read_whole(std::string const& path);

/// The words of a line: runs of anything but blanks; a "quoted part" belongs to its word.
std::vector<std::string_view> words_of(std::string_view line);

inline constexpr double max_number = 1e9;  ///< limit of text_lines::number(), also for negative numbers

/// A text file read line by line, no further than requested; errors name the line. Skips a byte order mark at
/// its front.
class text_lines {
 public:
  /// Throws bad_file if the file cannot be opened. From now on a command refuses to overwrite it
  /// (note_read()).
  explicit text_lines(std::string path);

  /// The next line without its end, or nothing at the end of the file. The view lives until the next call.
  std::optional<std::string_view> next();

  /// Throws bad_file with the sentence, formatted with the values.
  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values const&...> sentence, Values const&... values) const {
    throw bad_file(path_, number_, fmt::format(sentence, values...));
  }

  /// Logs the sentence, formatted with the values, as a warning with the file and the line.
  template <class... Values>
  void warn(fmt::format_string<Values const&...> sentence, Values const&... values) const {
    write_log(log_level::warning, bad_file(path_, number_, fmt::format(sentence, values...)).what());
  }

  /// The word as a finite number, as a number within +-max_number, or as an integer; otherwise fails, and
  /// names the expected kind.
  double finite(std::string_view word, std::string_view what) const;
  double number(std::string_view word, std::string_view what) const;
  std::int64_t integer(std::string_view word, std::string_view what) const;

 private:
  std::string path_, line_;
  std::ifstream file_;
  std::size_t number_ = 0;  ///< of the line, from 1
};

}  // namespace ballast::command_line

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/base/error.hpp"

namespace ballast::md {

/// A file cannot be read or is not what it should be; what() is one sentence that names it and the line.
class bad_file : public error {
 public:
  bad_file(std::string const& path, std::size_t line, std::string const& sentence);
};

/// The file's bytes. Throws bad_file (line 0: no line is named) if it cannot be read.
std::string read_whole(std::string const& path);

/// The words of a line: runs of anything but blanks; a "quoted part" belongs to its word.
std::vector<std::string_view> words_of(std::string_view line);

/// A text file read line by line, with errors that name the line. The views it returns live as long as it.
class text_lines {
 public:
  explicit text_lines(std::string path);

  /// The next line without its end, or nothing at the end of the file.
  std::optional<std::string_view> next();
  bool at_end() const { return at_ >= text_.size(); }
  std::size_t line() const { return line_; }
  /// Where the next line begins, in bytes; a place to come back to.
  std::size_t offset() const { return at_; }
  std::string const& path() const { return path_; }

  [[noreturn]] void fail(std::string const& sentence) const { throw bad_file(path_, line_, sentence); }

  /// The word as a finite number within +-1e9 / an integer; else fails naming what it should be.
  double number(std::string_view word, std::string_view what) const;
  std::int64_t integer(std::string_view word, std::string_view what) const;

 private:
  std::string path_, text_;
  std::size_t at_ = 0, line_ = 0;
};

}  // namespace ballast::md

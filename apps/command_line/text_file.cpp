// SPDX-License-Identifier: Apache-2.0
#include "text_file.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/replace_file.hpp"

namespace ballast::command_line {
namespace {

/// The sentence after the path and the line. It is escaped, since it may quote a file that is not text at
/// all.
std::string located(std::string const& path, std::size_t line, std::string const& sentence) {
  return path + (line > 0 ? ", line " + std::to_string(line) : "") + ": " +
         escape_control_characters(sentence);
}

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// One past the word that starts at `begin`.
std::size_t end_of_word(std::string_view line, std::size_t begin) {
  bool quoted = false;
  std::size_t end = begin;
  for (; end < line.size() && (quoted || !blank(line[end])); ++end)
    if (line[end] == '"') quoted = !quoted;
  return end;
}

template <class Number>
bool parsed(std::string_view word, Number& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  auto const end = word.data() + word.size();
  auto const [rest, problem] = std::from_chars(word.data(), end, value);
  return problem == std::errc() && rest == end;
}

std::string quoted(std::string_view word) {
  return fmt::format("\"{}\"", escape_beyond_ascii(word.substr(0, 40)));
}

constexpr auto unreadable = "the file cannot be read.";

std::ifstream opened(std::string const& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw bad_file(path, 0, "this is a folder, not a file.");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw bad_file(path, 0, "the file cannot be opened.");
  return file;
}

}  // namespace

bad_file::bad_file(std::string const& path, std::size_t line, std::string const& sentence)
    : error(located(path, line, sentence)) {}

std::string read_whole(std::string const& path) {
  auto file = opened(path);
  file.seekg(0, std::ios::end);
  auto const size = static_cast<std::streamoff>(file.tellg());
  if (size < 0) throw bad_file(path, 0, unreadable);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  file.read(bytes.data(), size);
  if (!file) throw bad_file(path, 0, unreadable);
  return bytes;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    if (blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t const end = end_of_word(line, at);
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

text_lines::text_lines(std::string path) : path_(std::move(path)), file_(opened(path_)) { note_read(path_); }

std::optional<std::string_view> text_lines::next() {
  if (!std::getline(file_, line_)) {
    if (file_.bad()) throw bad_file(path_, 0, unreadable);
    return std::nullopt;
  }
  ++number_;
  return number_ == 1 ? without_byte_order_mark(line_) : line_;
}

double text_lines::finite(std::string_view word, std::string_view what) const {
  double value = 0;
  if (!parsed(word, value)) fail("{} should be a number but is {}.", what, quoted(word));
  if (std::isfinite(value)) return value;
  fail("{} should be a finite number but is {}.", what, quoted(word));
}

double text_lines::number(std::string_view word, std::string_view what) const {
  double const value = finite(word, what);
  if (std::abs(value) <= max_number) return value;
  fail("{} should be a number within 1e9 but is {}.", what, quoted(word));
}

std::int64_t text_lines::integer(std::string_view word, std::string_view what) const {
  std::int64_t value = 0;
  if (!parsed(word, value)) fail("{} should be a whole number but is {}.", what, quoted(word));
  return value;
}

}  // namespace ballast::command_line

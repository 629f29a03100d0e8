// SPDX-License-Identifier: Apache-2.0
#include "ballast/arguments.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ballast {
namespace {

std::string enumeration(std::span<std::string_view const> words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += i == 0 ? "" : i + 1 < words.size() ? ", " : " or ";
    all += words[i];
  }
  return all;
}

/// The number of letters to add, remove or replace to turn one word into the other (Levenshtein).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      auto const replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

/// The distance of `meant` from the typed word; nothing if it is unlikely to be meant. Words that contain the
/// typed one rank after those that a typing slip explains.
std::optional<std::size_t> errors_in(std::string_view word, std::string_view meant) {
  constexpr std::size_t most = 3, least_part = 3;
  auto const errors = edit_distance(word, meant);
  if (errors <= std::min(most, std::max(word.size(), meant.size()) / 3)) return errors;
  if (word.size() >= least_part && meant.find(word) != meant.npos) return most + errors;
  return std::nullopt;
}

/// The code of the UTF-8 character in `letter`.
char32_t code_of(std::string_view letter) {
  auto const lead = static_cast<unsigned char>(letter.front());
  char32_t code = letter.size() == 1 ? lead : lead & (0x7Fu >> letter.size());
  for (char const next : letter.substr(1)) code = code << 6 | (static_cast<unsigned char>(next) & 0x3Fu);
  return code;
}

/// True if a terminal may obey the code, or draw later characters over earlier ones.
bool is_obeyed(char32_t code) {
  bool const is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  bool const ends_a_line = code == 0x2028 || code == 0x2029;
  bool const turns = code == 0x61C || code == 0x200E || code == 0x200F ||
                     (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_control || ends_a_line || turns;
}

std::string as_hexadecimal(std::string_view before, unsigned value, int digits) {
  std::string text(before);
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[value >> (4 * i) & 0xFu];
  return text;
}

std::string escaped(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x80 ? as_hexadecimal("\\x", code, 2) : as_hexadecimal("\\u", code, 4);
}

}  // namespace

std::vector<std::string_view> detail::nearest_words(std::span<std::string_view const> legal,
                                                    std::string_view word, std::size_t most) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (auto const& one : legal)
    if (auto const errors = errors_in(word, one)) near.emplace_back(*errors, one);
  std::ranges::stable_sort(near, {}, [](auto const& one) { return one.first; });
  std::vector<std::string_view> words;
  for (auto const& [errors, one] : near) words.push_back(one);
  words.resize(std::min(most, words.size()));
  return words;
}

std::string did_you_mean(std::span<std::string_view const> legal, std::string_view word, std::size_t most) {
  auto const near = detail::nearest_words(legal, word, most);
  return near.empty() ? "" : "; did you mean " + enumeration(near) + "?";
}

std::size_t index_among(std::span<std::string_view const> legal, std::string_view argument,
                        std::string_view word) {
  auto const found = std::find(legal.begin(), legal.end(), word);
  if (found == legal.end())
    throw_bad_argument(argument, word, enumeration(legal) + did_you_mean(legal, word));
  return static_cast<std::size_t>(found - legal.begin());
}

std::size_t detail::first_character(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto const continues = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return i < text.size() && byte(i) >= least && byte(i) <= most;
  };
  auto const first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  // Neither overlong, nor a surrogate, nor beyond U+10FFFF.
  if ((first & 0xF0) == 0xE0)
    return continues(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && continues(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return continues(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && continues(2) &&
                   continues(3)
               ? 4
               : 0;
  return 0;
}

std::string escape_control_characters(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    auto const bytes = detail::first_character(text);
    auto const letter = text.substr(0, std::max(bytes, std::size_t(1)));
    if (bytes == 0)
      line += as_hexadecimal("\\x", static_cast<unsigned char>(letter.front()), 2);
    else if (is_obeyed(code_of(letter)))
      line += escaped(code_of(letter));
    else
      line += letter;
    text.remove_prefix(letter.size());
  }
  return line;
}

std::string escape_beyond_ascii(std::string_view text) {
  std::string line;
  for (auto const& c : text) {
    auto const code = static_cast<unsigned char>(c);
    line += code > 127 ? as_hexadecimal("\\x", code, 2) : escape_control_characters({&c, 1});
  }
  return line;
}

std::string escape_message(std::string_view text) {
  std::string all;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    all += escape_control_characters(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
    if (!text.empty()) all += "  ";
  }
  return all + escape_control_characters(text);
}

}  // namespace ballast

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/version.hpp"

namespace ballast {

/// Returns the text as escape_control_characters() does, with bytes beyond ASCII escaped too
/// ("\\xef\\xbb\\xbf"). For quoting a text that should be a number, in which a no-break space or a foreign
/// minus sign would not be seen.
BALLAST_API std::string escape_beyond_ascii(std::string_view text);

/// Parses `text` as a whole number from `min` to `max`, without a sign (except a minus for signed types) and
/// without spaces around it; otherwise throws bad_argument (`argument`), which quotes the text through
/// escape_beyond_ascii().
template <std::integral Number>
Number parse_integer(std::string_view argument, std::string_view text, Number min, Number max) {
  Number value{};
  auto const end = text.data() + text.size();
  auto const [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc() && rest == end && value >= min && value <= max) return value;
  throw_bad_argument(argument, escape_beyond_ascii(text),
                     "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
}

/// The index of `word` in the list of legal words (at least one); otherwise throws bad_argument (`argument`),
/// which lists the legal words ("open or periodic") and asks whether the nearest one was meant.
BALLAST_API std::size_t index_among(std::span<std::string_view const> legal, std::string_view argument,
                                    std::string_view word);

/// The end of a sentence that refuses `word`: "; did you mean even?", with at most `most` of the legal words
/// that are near `word`. Empty if none is near.
BALLAST_API std::string did_you_mean(std::span<std::string_view const> legal, std::string_view word,
                                     std::size_t most = 1);

/// The text on one line that cannot drive a terminal. Control characters (also the 8-bit ones), characters
/// that end a line or turn its direction, and bytes that are not UTF-8 are written as in C++ ("\\n", "\\x1b",
/// "\\u202e"). Escaping an escaped text changes nothing.
BALLAST_API std::string escape_control_characters(std::string_view text);

/// escape_control_characters() for a message of several lines. Newlines stay, and each but the last is
/// followed by two blanks, so that no line of a quoted text looks like another message.
BALLAST_API std::string escape_message(std::string_view text);

/// The text without the byte order mark of UTF-8, which some editors put at the front of a file.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

/// The value of an environment variable; nothing if it is unset or empty. A renamed variable is also read
/// under its old name. The first call logs a warning for each variable that seems misspelt.
BALLAST_API std::optional<std::string> environment(std::string_view name);

namespace detail {

/// A variable of the environment that the library or one of its programs reads.
struct environment_variable {
  /// The name, as a shell sets it.
  std::string_view name, meaning;  ///< one sentence about its values
};

/// All variables of the environment that are read, sorted by name.
BALLAST_API std::span<environment_variable const> environment_variables();

/// One sentence for each misspelt name among `settings` ("NAME=value", terminated by a null pointer, as
/// `environ`). A name is misspelt if it begins with BALLAST_, and the rest is near that of a variable which
/// is read (nearest_words()).
BALLAST_API std::vector<std::string> misspelt_variables(char const* const* settings);

/// Up to `most` of the legal words that `word` was probably meant to be, the nearest first. A near word
/// differs from `word` in at most three letters and in at most a third of the longer one's, or contains
/// `word`, if `word` has at least three letters.
BALLAST_API std::vector<std::string_view> nearest_words(std::span<std::string_view const> legal,
                                                        std::string_view word, std::size_t most);

/// The length in bytes of the UTF-8 character at the front of `text`, which is not empty; 0 if these bytes
/// are not UTF-8.
BALLAST_API std::size_t first_character(std::string_view text);

}  // namespace detail

/// A policy as offered to a user: its name, and one sentence.
struct named_policy {
  /// The name, as an option takes it.
  std::string_view name, summary;  ///< one sentence for a help text
};

}  // namespace ballast

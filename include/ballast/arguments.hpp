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

namespace ballast {

/// `text` as a whole number from `min` to `max`, without sign or spaces around it (a minus for signed
/// types); else throws bad_argument (`argument`) with the text as it was written.
template <std::integral Number>
Number parse_integer(std::string_view argument, std::string_view text, Number min, Number max) {
  Number value{};
  auto const end = text.data() + text.size();
  auto const [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc() && rest == end && value >= min && value <= max) return value;
  throw_bad_argument(argument, text,
                     "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
}

/// The place of `word` in the list of legal words (at least one); else throws bad_argument (`argument`)
/// that tells them all: "open or periodic".
std::size_t index_among(std::span<std::string_view const> legal, std::string_view argument,
                        std::string_view word);

/// The text with its control characters as C++ writes them ("\\n", "\\x1b"), so that a sentence can quote it.
std::string escape_control_characters(std::string_view text);

/// The value of an environment variable; nothing if it is unset or the empty string. A variable that was
/// renamed is read under its old name too. The first call warns of variables that seem misspelt, in the log.
std::optional<std::string> environment(std::string_view name);

/// A variable of the environment that the library or one of its programs reads.
struct environment_variable {
  /// As a shell sets it.
  std::string_view name, meaning;  ///< one sentence about its values
};

/// All of them, by name.
std::span<environment_variable const> environment_variables();

/// A sentence for each of `settings` ("NAME=value", a null pointer at the end, as `environ`) whose name
/// begins with BALLAST_ and is the old name of a variable, or differs from one that is read in one or two
/// letters.
std::vector<std::string> misspelt_variables(char const* const* settings);

/// A policy as it is offered to a user: its name and one sentence.
struct named_policy {
  /// As an option takes it.
  std::string_view name, summary;  ///< one sentence for a help text
};

}  // namespace ballast

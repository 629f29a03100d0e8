// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <concepts>
#include <string>

#include "ballast/base/error.hpp"

namespace ballast::md {

/// `text` as a whole number from `least` to `most`, else throws bad_argument with the text as it was written.
template <std::integral Number>
Number whole_number(std::string const& option, std::string const& text, Number least, Number most) {
  Number value{};
  auto const end = text.data() + text.size();
  auto const [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc() && rest == end && value >= least && value <= most) return value;
  refuse_argument(option, text,
                  "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

/// An option that stores a whole number in `target`, a Number or an optional one. CLI11 would take -1 for
/// 2^64 - 1 and the largest number for whatever is beyond it. `target` must outlive the parsing.
template <std::integral Number, class Target>
CLI::Option* add_whole_number(CLI::App& command, std::string const& name, Target& target, Number least,
                              Number most, std::string const& meaning) {
  return command
      .add_option_function<std::string>(
          name, [=, &target](std::string const& text) { target = whole_number(name, text, least, most); },
          meaning)
      ->type_name("INT");
}

/// An option that stores the name of a file or folder in `target`, which must outlive the parsing. An empty
/// name, which would mean that the option was not given, throws bad_argument.
inline CLI::Option* add_path(CLI::App& command, std::string const& name, std::string& target,
                             std::string const& kind, std::string const& meaning) {
  return command
      .add_option_function<std::string>(
          name,
          [=, &target](std::string const& path) {
            if (path.empty()) refuse_argument(name, "\"\"", "the name of a " + kind);
            target = path;
          },
          meaning)
      ->type_name(kind);
}

}  // namespace ballast::md

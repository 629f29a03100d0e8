// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "command_line/help.hpp"

namespace ballast::command_line {

inline constexpr char const* device_list_help =
    "Devices, comma-separated: cuda (every GPU), cuda:INDEX[@SMS], host[:CORES][/SLOWDOWN]. Without it the "
    "variable BALLAST_DEVICES, else every GPU, else the host's cores";

inline std::vector<std::string> names_of(std::vector<named_policy> const& policies) {
  std::vector<std::string> names;
  for (auto const& policy : policies) names.emplace_back(policy.name);
  return names;
}

/// An option that stores a list of devices in `target`, which must outlive the parsing. The list is not
/// checked.
inline CLI::Option* add_devices_option(CLI::App& command, std::optional<std::string>& target,
                                       std::string const& meaning = device_list_help) {
  auto* const option = command.add_option_function<std::string>(
      "--devices", [&target](std::string const& list) { target = list; }, meaning);
  return takes_list_of(option, {"cuda", "cuda:0", "host", "host:1", "host:2"});
}

/// A help text that ends with the names of policies.
inline std::string help_with_names(std::string meaning, std::vector<named_policy> const& policies) {
  for (auto const& policy : policies) meaning.append(" ").append(policy.name);
  return meaning;
}

/// An option that stores a whole number from `min` to `max` in `target`: a Number, whose value is shown as
/// the default, or an optional Number. CLI11 would read -1 as 2^64 - 1, and any number beyond the largest as
/// the largest. `target` must outlive the parsing. Parsing throws bad_argument with the option's name.
template <std::integral Number, class Target>
CLI::Option* add_integer_option(CLI::App& command, std::string const& name, Target& target, Number min,
                                Number max, std::string const& meaning) {
  auto* const option = command.add_option_function<std::string>(
      name, [=, &target](std::string const& text) { target = parse_integer(name, text, min, max); }, meaning);
  if constexpr (std::integral<Target>) option->default_str(std::to_string(target));
  return option->type_name("INT");
}

/// An option that stores the name of a file or folder in `target`, which must outlive the parsing. An empty
/// name, which would mean that the option was not given, throws bad_argument.
inline CLI::Option* add_path(CLI::App& command, std::string const& name, std::string& target,
                             std::string const& kind, std::string const& meaning) {
  return command
      .add_option_function<std::string>(
          name,
          [=, &target](std::string const& path) {
            if (path.empty()) throw_bad_argument(name, "\"\"", "the name of a " + kind);
            target = path;
          },
          meaning)
      ->type_name(kind);
}

/// Throws bad_argument if one of the options was given although it would have no effect: "nothing beside
/// list".
inline void check_not_given(std::vector<CLI::Option const*> const& options, std::string const& because) {
  for (auto const* const option : options)
    if (option->count() > 0)
      throw_bad_argument(option->get_name(), option->results().front(), "nothing " + because);
}

}  // namespace ballast::command_line

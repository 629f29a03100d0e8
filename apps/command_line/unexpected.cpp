// SPDX-License-Identifier: Apache-2.0
#include "command_line/unexpected.hpp"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"

namespace ballast::command_line {
namespace {

CLI::App const& parsed_last(CLI::App const& app) {
  auto const commands = app.get_subcommands();
  return commands.empty() ? app : parsed_last(*commands.back());
}

std::vector<std::string> names_of_options(CLI::App const& command) {
  std::vector<std::string> names;
  for (auto const* const option : command.get_options())
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> names_of_commands(CLI::App const& command) {
  std::vector<std::string> names;
  for (auto const* const one : command.get_subcommands([](CLI::App const*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

std::string meant_by(CLI::App const& command, std::string const& word) {
  bool const is_option = word.starts_with("--");
  auto const names = is_option ? names_of_options(command) : names_of_commands(command);
  return did_you_mean(std::vector<std::string_view>(names.begin(), names.end()),
                      word.substr(0, word.find('=')));
}

}  // namespace

std::string told_unexpected(CLI::App const& app) {
  auto const words = app.remaining(true);  // CLI11 2.1 lists them in its errors in reverse order
  std::string text =
      words.size() > 1 ? "these arguments were not expected:" : "this argument was not expected:";
  for (auto const& word : words) text += " " + escape_control_characters(word);
  for (auto const& word : words)
    if (auto const meant = meant_by(parsed_last(app), word); !meant.empty()) return text + meant;
  return text;
}

}  // namespace ballast::command_line

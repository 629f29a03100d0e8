// SPDX-License-Identifier: Apache-2.0
#include "command_line/command_tree.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

namespace ballast::command_line {
namespace {

constexpr std::string_view list_mark = ",...";

std::vector<std::string> parts_of(std::string const& text, char between) {
  std::vector<std::string> parts;
  std::istringstream all(text);
  for (std::string part; std::getline(all, part, between);) parts.push_back(part);
  return parts;
}

/// Describes the values of an option, which takes_one_of() or takes_list_of() may have prepared.
void tell_value(told_option& told, CLI::Option const& option) {
  told.value = option.get_type_name();
  if (auto const text = option.get_option_text(); !text.empty()) told.value = parts_of(text, '=').front();
  told.usual = option.get_default_str();
  auto words = option.get_type_name();
  told.takes_list = words.ends_with(list_mark);
  if (told.takes_list) words.resize(words.size() - list_mark.size());
  if (words.find('|') != words.npos) told.values = parts_of(words, '|');
}

told_option told(CLI::Option const& option) {
  told_option one;
  for (auto const& name : option.get_snames()) one.names.push_back("-" + name);
  for (auto const& name : option.get_lnames()) one.names.push_back("--" + name);
  if (option.get_positional()) one.names = {option.get_name(true, false)};
  if (option.get_items_expected_max() > 0) tell_value(one, option);
  one.is_required = option.get_required();
  one.may_repeat = option.get_items_expected_max() > 1;
  one.meaning = option.get_description();
  one.group = option.get_group();
  return one;
}

/// Adds the examples and notes that add_examples() wrote.
void tell_footer(told_command& told, std::string const& footer) {
  std::string const heading = "Examples:\n";
  auto const at = footer.find(heading);
  if (at == footer.npos) return;
  std::istringstream lines(footer.substr(at + heading.size()));
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");)
    told.examples.push_back(line.substr(2));
  told.notes.assign(std::istreambuf_iterator<char>(lines), {});
}

std::string json_text(std::string_view text) {
  std::string all = "\"";
  for (char const letter : text) {
    if (letter == '"' || letter == '\\')
      all.append({'\\', letter});
    else if (static_cast<unsigned char>(letter) < ' ')
      all += fmt::format("\\u{:04x}", letter);
    else
      all += letter;
  }
  return all + '"';
}

template <class Values, class Write>
std::string listed(Values const& values, Write write) {
  std::string all;
  for (auto const& value : values) all += (all.empty() ? "" : ", ") + write(value);
  return "[" + all + "]";
}

std::string words_as_json(std::vector<std::string> const& words) { return listed(words, json_text); }

std::string option_as_json(told_option const& one) {
  return fmt::format(
      R"({{"names": {}, "value": {}, "usual": {}, "values": {}, "takes_list": {}, "is_required": {}, )"
      R"("may_repeat": {}, "meaning": {}, "group": {}}})",
      words_as_json(one.names), json_text(one.value), json_text(one.usual), words_as_json(one.values),
      one.takes_list, one.is_required, one.may_repeat, json_text(one.meaning), json_text(one.group));
}

}  // namespace

told_command tree_of(CLI::App const& command, std::string const& called) {
  told_command all{called, command.get_description(), {}, {}, {}, {}, {}};
  for (auto const* const option : command.get_options())
    (option->get_positional() ? all.arguments : all.options).push_back(told(*option));
  auto const every = [](CLI::App const*) { return true; };
  for (auto const* const one : command.get_subcommands(every))
    all.commands.push_back(tree_of(*one, called + " " + one->get_name()));
  tell_footer(all, command.get_footer());
  return all;
}

std::string as_json(told_command const& command) {
  return fmt::format(
      R"({{"called": {}, "summary": {}, "arguments": {}, "options": {}, "commands": {}, "examples": {}, )"
      R"("notes": {}}})",
      json_text(command.called), json_text(command.summary), listed(command.arguments, option_as_json),
      listed(command.options, option_as_json), listed(command.commands, as_json),
      words_as_json(command.examples), json_text(command.notes));
}

}  // namespace ballast::command_line

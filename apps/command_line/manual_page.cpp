// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "command_line/command_tree.hpp"

namespace ballast::command_line {
namespace {

/// The text, escaped for roff, which interprets backslashes, and dots and apostrophes at the beginning of a
/// line. A bare dash would be a hyphen.
std::string plain(std::string_view text) {
  std::string all;
  bool begins = true;
  for (char const letter : text) {
    if (begins && (letter == '.' || letter == '\'')) all += "\\&";
    if (letter == '\\')
      all += "\\e";
    else if (letter == '-')
      all += "\\-";
    else
      all += letter;
    begins = letter == '\n';
  }
  return all;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string slanted(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string page_of(std::string_view called) {
  std::string name(called);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string synopsis(told_command const& command) {
  auto text = bold(command.called) + " [OPTIONS]";
  for (auto const& one : command.arguments) {
    auto const name = slanted(one.names.front()) + (one.may_repeat ? "..." : "");
    text += one.is_required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) text += " [COMMAND]";
  return text + "\n";
}

std::string entry(told_option const& one) {
  std::string names;
  for (auto const& name : one.names) names += (names.empty() ? "" : ", ") + bold(name);
  if (!one.value.empty() && one.value != one.names.front()) names += " " + slanted(one.value);
  auto const usual = one.usual.empty() || one.value.empty() ? "" : " (default: " + one.usual + ")";
  return ".TP\n" + names + "\n" + plain(one.meaning + usual) + "\n";
}

std::string entries(told_command const& command, std::string_view heading) {
  std::string text, group;
  for (auto const& one : command.arguments) text += entry(one);
  for (auto const& one : command.options) {
    if (one.group != group) text += fmt::format("{}{}\n", heading, plain(one.group));
    group = one.group;
    text += entry(one);
  }
  return text;
}

std::string commands_of(told_command const& command) {
  std::string text;
  for (auto const& one : command.commands)
    text += ".SS " + plain(one.called) + "\n" + synopsis(one) + ".PP\n" + plain(one.summary) + ".\n" +
            entries(one, ".PP\n");
  return text.empty() ? text : ".SH COMMANDS\n" + text;
}

std::string examples_of(told_command const& command) {
  std::string text;
  auto all = command.examples;
  for (auto const& one : command.commands) all.insert(all.end(), one.examples.begin(), one.examples.end());
  for (auto const& line : all) text += plain(line) + "\n";
  return text.empty() ? text : ".SH EXAMPLES\n.nf\n" + text + ".fi\n";
}

std::string notes_of(told_command const& command) {
  auto const first = command.notes.find_first_not_of('\n');
  return first == command.notes.npos ? "" : ".SH NOTES\n" + plain(command.notes.substr(first)) + "\n";
}

}  // namespace

std::string as_manual_page(told_command const& command, std::string const& version) {
  auto const name = page_of(command.called);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char letter) { return std::toupper(letter); });
  auto const see = command.called == "ballast" ? "" : ".SH SEE ALSO\n.BR ballast (1)\n";
  return fmt::format(
      ".TH {} 1 \"\" \"ballast {}\" \"ballast\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}.SH "
      "OPTIONS\n{}{}{}{}{}",
      plain(title), version, plain(name), plain(command.summary), synopsis(command), entries(command, ".SS "),
      commands_of(command), examples_of(command), notes_of(command), see);
}

std::optional<std::string> told_instead(CLI::App const& command, std::string const& called,
                                        std::string const& version, std::vector<std::string> const& words) {
  if (words == std::vector<std::string>{"--print-tree"}) return as_json(tree_of(command, called)) + "\n";
  if (words == std::vector<std::string>{"--print-manual"})
    return as_manual_page(tree_of(command, called), version);
  return std::nullopt;
}

}  // namespace ballast::command_line

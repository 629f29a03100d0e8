// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ballast::command_line {

/// An option, or an argument without a name of its own, as help texts describe it.
struct told_option {
  std::vector<std::string> names;   ///< "-h", "--help"; for an argument its one name
  std::string value;                ///< "FILE", "single|double"; empty for a flag
  std::string usual;                ///< its default; empty if it has none
  std::vector<std::string> values;  ///< all legal words, if there are few
  bool takes_list = false;          ///< takes several of those words, separated by commas
  bool is_required = false, may_repeat = false;
  std::string meaning, group;
};

/// A command and its subcommands, for completions, manual pages and docs/reference/commands.md.
struct told_command {
  std::string called;  ///< "ballast md", as it is typed
  std::string summary;
  std::vector<told_option> arguments, options;
  std::vector<told_command> commands;
  std::vector<std::string> examples;
  std::string notes;  ///< the end of the help text, of any number of lines
};

/// The description of `command`, which is typed as `called`, and of its subcommands.
told_command tree_of(CLI::App const& command, std::string const& called);

/// One JSON object, whose members are those of the struct.
std::string as_json(told_command const& command);

/// A manual page of section 1, in roff's macros man, for version `version` of a program.
std::string as_manual_page(told_command const& command, std::string const& version);

/// The output of a program that replaces parsing, if `words` is one of two options outside the help text:
/// --print-tree, for as_json(), and --print-manual.
std::optional<std::string> told_instead(CLI::App const& command, std::string const& called,
                                        std::string const& version, std::vector<std::string> const& words);

}  // namespace ballast::command_line

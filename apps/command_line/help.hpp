// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ballast::command_line {

/// The groups of options, the same in every help text and in this order: the work, the devices, and the
/// output. Help and version come last.
inline constexpr char const *work_group = "Work", *device_group = "Devices", *output_group = "Output",
                            *help_group = "Help";

/// Options that are added to `command` from now on belong to `group`.
void begin_group(CLI::App& command, char const* group);

/// Ends the help text of `command` with these lines, which a shell accepts, followed by `notes`.
void add_examples(CLI::App& command, std::vector<std::string> const& lines, std::string const& notes = {});

/// `option` takes one of these words. Help texts, completions and pages list them; parsing checks nothing. If
/// there are many, the help text has `placeholder` instead. Call it once the option has its default.
CLI::Option* takes_one_of(CLI::Option* option, std::vector<std::string> const& words,
                          std::string const& placeholder = "NAME");
/// The same for a list with commas, for which the help text has LIST.
CLI::Option* takes_list_of(CLI::Option* option, std::vector<std::string> const& words);

/// Adds --help and --version, which prints `version`, to `app` and all its commands, after the options that
/// they have by now.
void end_options(CLI::App& app, std::string const& version);

}  // namespace ballast::command_line

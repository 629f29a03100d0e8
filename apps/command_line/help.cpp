// SPDX-License-Identifier: Apache-2.0
#include "command_line/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

namespace ballast::command_line {
namespace {

std::string placeholder_with_default(std::string const& placeholder, CLI::Option const& option) {
  auto const usual = option.get_default_str();
  return usual.empty() ? placeholder : placeholder + "=" + usual;
}

/// `text` in lines of about `width` letters.
std::string wrapped(std::string const& text, std::size_t width) {
  std::istringstream words(text);
  std::string all;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    bool const fits = column + word.size() < width;
    if (!all.empty()) all += fits ? ' ' : '\n';
    column = (fits ? column + 1 : 0) + word.size();
    all += word;
  }
  return all;
}

/// Like CLI11's, but with one empty line between groups, not two, and with lines that fit a terminal.
class help_formatter : public CLI::Formatter {
 public:
  help_formatter() {
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
    label("REQUIRED", "(required)");
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<CLI::Option const*> options) const override {
    auto const text = CLI::Formatter::make_group(group, is_positional, options);
    return is_positional ? text : text.substr(1);
  }
  std::string make_positionals(CLI::App const* app) const override {
    return CLI::Formatter::make_positionals(app) + "\n";
  }
  /// Omits the options that this one excludes; they are reported when they are typed.
  std::string make_option_opts(CLI::Option const* option) const override {
    auto const text = CLI::Formatter::make_option_opts(option);
    return text.substr(0, text.find(" Excludes:"));
  }
  std::string make_option_desc(CLI::Option const* option) const override {
    constexpr std::size_t line = 100;
    return wrapped(option->get_description(), line - get_column_width());
  }
};

}  // namespace

void begin_group(CLI::App& command, char const* group) { command.option_defaults()->group(group); }

void add_examples(CLI::App& command, std::vector<std::string> const& lines, std::string const& notes) {
  std::string text = "Examples:\n";
  for (auto const& line : lines) text += "  " + line + "\n";
  command.footer(text + (notes.empty() ? "" : "\n" + notes));
}

CLI::Option* takes_one_of(CLI::Option* option, std::vector<std::string> const& words,
                          std::string const& placeholder) {
  constexpr std::size_t most_letters = 40;
  auto const all = fmt::format("{}", fmt::join(words, "|"));
  if (all.size() > most_letters) option->option_text(placeholder_with_default(placeholder, *option));
  return option->type_name(all);
}

CLI::Option* takes_list_of(CLI::Option* option, std::vector<std::string> const& words) {
  option->option_text(placeholder_with_default("LIST", *option));
  return option->type_name(fmt::format("{},...", fmt::join(words, "|")));
}

void end_options(CLI::App& app, std::string const& version) {
  begin_group(app, help_group);
  app.formatter(std::make_shared<help_formatter>());
  app.set_help_flag("-h,--help", "Print this help and end");
  app.set_version_flag("--version", version, "Print the version and end");
  for (auto* const command : app.get_subcommands({})) {
    command->group("Commands");
    end_options(*command, version);
  }
}

}  // namespace ballast::command_line

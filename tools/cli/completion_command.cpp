// SPDX-License-Identifier: Apache-2.0
#include "completion_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "command_line/help.hpp"
#include "command_line/program.hpp"
#include "programs.hpp"
#include "report/child_program.hpp"
#include "report/json_text.hpp"

namespace ballast::cli {
namespace {

using nlohmann::json;
using words = std::vector<std::string>;

/// A command of one of the programs, as `PROGRAM --print-tree` describes it.
struct completed_command {
  std::string called;               ///< "ballast md"
  std::vector<std::string> words;   ///< commands and options that may follow
  std::vector<std::string> values;  ///< values of its argument; ":files" if it takes files
  /// An option and the argument that it takes.
  struct option {
    std::vector<std::string> names, values;
    std::string value, meaning;
    bool takes_list = false;
  };
  std::vector<option> options;
};

/// Stands for a file's name in place of values.
constexpr auto files_mark = ":files";

bool takes_files(completed_command::option const& one) {
  return one.value == "FILE" || one.value == "OUTPUT";
}
bool takes_folders(completed_command::option const& one) { return one.value == "FOLDER"; }

/// The word. Throws ballast::error if a shell might expand it, in a script or when it completes: the words
/// come from another program.
std::string plain(std::string const& word) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@%";
  if (!word.empty() && word.find_first_not_of(letters) == word.npos) return word;
  throw error("a shell would not take the word '" + word + "' as it is");
}

words plain_words(json const& list) {
  words all;
  for (std::string const word : list) all.push_back(plain(word));
  return all;
}

/// The name of a command below `above`. Throws ballast::error if `called` is a command of another program.
std::string name_below(std::string const& above, std::string const& called) {
  if (!called.starts_with(above + " ")) throw error("'" + called + "' is no command of '" + above + "'");
  return plain(called.substr(above.size() + 1));
}

void add_commands(json const& tree, std::string const& called, std::vector<completed_command>& all) {
  completed_command command{called, {}, {}, {}};
  for (auto const& one : tree.at("commands")) command.words.push_back(name_below(called, one.at("called")));
  for (auto const& one : tree.at("options")) {
    command.options.push_back({plain_words(one.at("names")), plain_words(one.at("values")), one.at("value"),
                               one.at("meaning"), one.at("takes_list")});
    std::ranges::copy(command.options.back().names, std::back_inserter(command.words));
  }
  if (!tree.at("arguments").empty()) command.values = plain_words(tree.at("arguments").front().at("values"));
  if (!tree.at("arguments").empty() && command.values.empty()) command.values = {files_mark};
  all.push_back(std::move(command));
  for (auto const& one : tree.at("commands")) add_commands(one, one.at("called"), all);
}

/// A pattern of the command followed by each of the names, in single quotes, which no word of a command line
/// contains.
std::string pattern_of(std::string const& called, words const& names) {
  std::string all;
  for (auto const& name : names) all += fmt::format("{}'{} {}'", all.empty() ? "" : "|", called, name);
  return all;
}

/// The output of `write` for each command, in the syntax that bash and zsh share.
template <class Write>
std::string cases(std::vector<completed_command> const& all, Write write) {
  std::string text;
  for (auto const& one : all) text += write(one);
  return text;
}

std::string steps_into_commands(std::vector<completed_command> const& all) {
  return cases(all, [](completed_command const& one) {
    return one.called.find(' ') == one.called.npos ? "" : fmt::format("      ('{}') ;;\n", one.called);
  });
}

struct shell_words {
  std::string_view values, list, files, folders;  ///< functions; the first two take words
};

std::string values_of_options(std::vector<completed_command> const& all, shell_words const& shell) {
  return cases(all, [&](completed_command const& command) {
    std::string text;
    for (auto const& one : command.options) {
      auto const pattern = pattern_of(command.called, one.names);
      if (!one.values.empty())
        text += fmt::format("    ({}) {} '{}'; return ;;\n", pattern,
                            one.takes_list ? shell.list : shell.values, fmt::join(one.values, " "));
      else if (takes_files(one) || takes_folders(one))
        text +=
            fmt::format("    ({}) {}; return ;;\n", pattern, takes_files(one) ? shell.files : shell.folders);
      else if (!one.value.empty())
        text += fmt::format("    ({}) return ;;\n", pattern);
    }
    return text;
  });
}

std::string words_of_commands(std::vector<completed_command> const& all) {
  return cases(all, [](completed_command const& one) {
    return fmt::format("    ('{}') options='{}' values='{}' ;;\n", one.called, fmt::join(one.words, " "),
                       fmt::join(one.values, " "));
  });
}

/// "ballast ballast-md mesicc"
std::string programs_of(std::vector<completed_command> const& all) {
  std::string text;
  for (auto const& one : all) {
    auto name = one.called;
    if (std::ranges::count(name, ' ') > 1) continue;
    std::ranges::replace(name, ' ', '-');
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

std::string bash_script(std::vector<completed_command> const& all) {
  constexpr std::string_view text =
      R"(# Completes ballast and its programs in bash; written by `ballast completion bash`.
_ballast_values() {{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}}
_ballast_list() {{
  local done=
  [[ $word == *,* ]] && done=${{word%,*}},
  mapfile -t COMPREPLY < <(compgen -P "$done" -W "$1" -- "${{word##*,}}")
}}
_ballast_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}}
_ballast() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before at=$COMP_CWORD
  local command=${{COMP_WORDS[0]##*/}} options= values= i
  command=${{command/#ballast-/ballast }}
  COMPREPLY=()
  # bash cuts cuda:0 into three words, and --devices=cuda too.
  while ((at > 1)) && [[ ${{COMP_WORDS[at]}} == : || ${{COMP_WORDS[at - 1]}} == : ]]; do ((--at)); done
  before=${{COMP_WORDS[at - 1]}}
  if [[ $word == '=' ]]; then
    word=
  elif [[ $before == '=' ]]; then
    before=${{COMP_WORDS[at - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
{steps}      (*) continue ;;
    esac
    command="$command ${{COMP_WORDS[i]}}"
  done
  case "$command $before" in
{values}  esac
  case "$command" in
{words}  esac
  if [[ $word == -* || ! $values ]]; then
    _ballast_values "$options"
  elif [[ $values == :files ]]; then
    _ballast_files -f
  else
    _ballast_values "$values"
  fi
}}
complete -F _ballast {programs}
)";
  return fmt::format(text, fmt::arg("steps", steps_into_commands(all)),
                     fmt::arg("values", values_of_options(all, {"_ballast_values", "_ballast_list",
                                                                "_ballast_files -f", "_ballast_files -d"})),
                     fmt::arg("words", words_of_commands(all)), fmt::arg("programs", programs_of(all)));
}

std::string zsh_script(std::vector<completed_command> const& all) {
  constexpr std::string_view text = R"(#compdef {programs}
# Completes ballast and its programs in zsh; written by `ballast completion zsh`.
_ballast_values() {{
  compadd -- ${{=1}}
}}
_ballast_list() {{
  _values -s , value ${{${{=1}}//:/\\:}}
}}
_ballast() {{
  local command=${{words[1]:t}} before=${{words[CURRENT - 1]}} options= values=
  local -i i
  command=${{command/#ballast-/ballast }}
  if compset -P '--*='; then
    before=${{words[CURRENT]%%=*}}
  fi
  for ((i = 2; i < CURRENT; ++i)); do
    case "$command ${{words[i]}}" in
{steps}      (*) continue ;;
    esac
    command="$command ${{words[i]}}"
  done
  case "$command $before" in
{values}  esac
  case "$command" in
{words}  esac
  if [[ ${{words[CURRENT]}} == -* || -z $values ]]; then
    _ballast_values "$options"
  elif [[ $values == :files ]]; then
    _files
  else
    _ballast_values "$values"
  fi
}}
_ballast "$@"
)";
  return fmt::format(
      text, fmt::arg("steps", steps_into_commands(all)),
      fmt::arg("values", values_of_options(all, {"_ballast_values", "_ballast_list", "_files", "_files -/"})),
      fmt::arg("words", words_of_commands(all)), fmt::arg("programs", programs_of(all)));
}

/// The text in single quotes, for fish.
std::string quoted(std::string const& text) {
  std::string all = "'";
  for (char const letter : text)
    all += letter == '\'' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
  return all + "'";
}

std::string fish_option(completed_command::option const& one) {
  std::string text;
  for (auto const& name : one.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!one.value.empty()) text += takes_files(one) || takes_folders(one) ? " -r -F" : " -x";
  if (!one.values.empty()) text += fmt::format(" -a '{}'", fmt::join(one.values, " "));
  return text + " -d " + quoted(escape_control_characters(one.meaning));
}

/// The lines for one command, given the words after the program's name that select it; "" is the program
/// itself.
std::string fish_lines(completed_command const& command, std::string const& program,
                       std::string const& condition) {
  std::string text;
  auto const start = "complete -c " + program + condition;
  for (auto const& word : command.words)
    if (!word.starts_with('-')) text += start + " -f -a " + word + "\n";
  if (!command.values.empty() && command.values.front() != files_mark)
    text += start + fmt::format(" -f -a '{}'\n", fmt::join(command.values, " "));
  for (auto const& one : command.options) text += start + fish_option(one) + "\n";
  return text;
}

/// The condition that these commands' names, separated by blanks, precede the word.
std::string fish_condition(std::string const& commands) {
  std::istringstream names(commands);
  std::string all;
  for (std::string name; names >> name;)
    all += (all.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + name);
  return " -n '" + (all.empty() ? "__fish_use_subcommand" : all) + "'";
}

std::string fish_script(std::vector<completed_command> const& all) {
  std::string text = "# Completes ballast and its programs in fish; written by `ballast completion fish`.\n";
  for (auto const& one : all) {
    auto const space = one.called.find(' ');
    auto const program = one.called.substr(0, space);
    auto const below = space == one.called.npos ? "" : one.called.substr(space + 1);
    text += fish_lines(one, program, fish_condition(below));
    if (program == "ballast" && !below.empty() && below.find(' ') == below.npos)
      text += fish_lines(one, program + "-" + below, "");
  }
  return text;
}

/// The script with which a shell completes `ballast`, its programs (also by their own names) and mesicc.
/// `shell` is bash, zsh or fish; otherwise throws bad_argument ("SHELL").
std::string completion_script(std::string_view shell, std::vector<completed_command> const& commands) {
  constexpr std::array<std::string_view, 3> shells{"bash", "zsh", "fish"};
  constexpr std::array scripts{&bash_script, &zsh_script, &fish_script};
  return scripts[index_among(shells, "SHELL", shell)](commands);
}

/// A program prints its options at once; one that does not is broken.
constexpr child_program::bounds answer_limits{std::chrono::seconds(10), std::size_t(16) << 20};

json tree_of(std::string const& program) {
  auto const end = run_child({.words = {program, "--print-tree"}, .limits = answer_limits});
  if (end.code != 0) throw error("it ended with " + std::to_string(end.code) + ": " + end.complaints);
  try {
    return parse_json(end.output);
  } catch (error const& problem) { throw error(std::string("what it tells ") + problem.what()); }
}

/// The commands of the program, each before its subcommands. It must call itself `called`, so that no program
/// defines the completion of another's words.
std::vector<completed_command> commands_of(std::string const& program, std::string const& called) {
  auto const tree = tree_of(program);
  try {
    std::string const told = tree.at("called");
    if (told != called) throw error("it calls itself '" + told + "' and not '" + called + "'");
    std::vector<completed_command> all;
    add_commands(tree, called, all);
    return all;
  } catch (json::exception const&) { throw error("what it tells has another form"); }
}

/// The same commands by their other names: mesicc is also `ballast mesicc`.
std::vector<completed_command> called_by_ballast(std::vector<completed_command> commands) {
  for (auto& one : commands) one.called = "ballast " + one.called;
  return commands;
}

/// The commands of all programs. `ballast` comes first; its programs are also its commands.
std::vector<completed_command> all_commands() {
  auto all = commands_of("/proc/self/exe", "ballast");
  for (auto const& program : known_programs_in(own_folder())) {
    auto const name = program.filename().string().substr(std::string_view("ballast-").size());
    bool const is_mesicc = name == "mesicc";
    try {
      auto const own = commands_of(program.string(), is_mesicc ? name : "ballast " + name);
      std::ranges::copy(own, std::back_inserter(all));
      if (is_mesicc) std::ranges::copy(called_by_ballast(own), std::back_inserter(all));
      all.front().words.push_back(name);
    } catch (std::exception const& broken) {  // a broken or older program: the others can still be completed
      command_line::print_warning(program.string() + " does not tell its options: " + broken.what());
    }
  }
  return all;
}

}  // namespace

void add_completion_command(CLI::App& app) {
  auto const shell = std::make_shared<std::string>();
  auto* const command =
      app.add_subcommand("completion", "Print what a shell completes the commands and their options by");
  command_line::takes_one_of(
      command->add_option("SHELL", *shell, "Of whose language the script is")->required(),
      {"bash", "zsh", "fish"});
  command_line::add_examples(*command, {"ballast completion bash", "ballast completion fish"},
                             "The scripts are installed with the programs. To try one: "
                             "source <(ballast completion bash).");
  command->callback([shell] { std::cout << completion_script(*shell, all_commands()); });
}

}  // namespace ballast::cli

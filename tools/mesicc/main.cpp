// SPDX-License-Identifier: Apache-2.0
// The command `mesicc`: this file contains only the command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/command_tree.hpp"
#include "command_line/help.hpp"
#include "command_line/program.hpp"
#include "command_line/unexpected.hpp"
#include "commands.hpp"

namespace {

using namespace ballast::mesicc;

int complain(int code, std::string const& sentence) {
  std::cout.flush();
  ballast::command_line::print_note("mesicc: " + sentence +
                                    (code == exit_codes::wrong_usage ? " (see mesicc --help)" : ""));
  return code;
}

std::string why_not_a_name(std::string const& word) { return word.empty() ? "needs a name" : ""; }

/// Why the text cannot follow #define; empty if it can: a name, parameters if any, and one line after "=".
std::string why_not_a_macro(std::string const& word) {
  auto const is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; };
  auto const end_of_name = std::ranges::find_if_not(word, is_letter);
  bool const is_named =
      end_of_name != word.begin() && std::isdigit(static_cast<unsigned char>(word.front())) == 0;
  if (!is_named || (end_of_name != word.end() && *end_of_name != '=' && *end_of_name != '('))
    return "'" + word + "' is not NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE";
  if (word.find_first_of("\r\n") != std::string::npos || word.back() == '\\')
    return "the macro '" + word.substr(0, word.find('=')) + "' has to be one line";
  return "";
}

using ballast::command_line::begin_group;

void add_translation_options(CLI::App& app, std::vector<std::string>& files, translation_options& options) {
  begin_group(app, ballast::command_line::work_group);
  app.add_option("files", files, "Programs in the dialect, usually *.mcu")
      ->type_name("FILE")
      ->check(CLI::Validator(why_not_a_name, "", ""));
  app.add_option("-I", options.include_folders, "Where headers are looked for")
      ->type_name("FOLDER")
      ->check(CLI::Validator(why_not_a_name, "", ""))
      ->allow_extra_args(false);
  app.add_option("-D", options.definitions, "Defines a macro, as NAME or NAME=VALUE")
      ->type_name("MACRO")
      ->check(CLI::Validator(why_not_a_macro, "", ""))
      ->allow_extra_args(false);
  app.add_flag("--allow-unpartitioned", options.allow_unpartitioned,
               "A launch that cannot be cut runs on one device, with a warning");
}

void describe_translation(CLI::App& app, translate_request& request) {
  add_translation_options(app, request.files, request.options);
  begin_group(app, ballast::command_line::output_group);
  app.add_option("-o,--output", request.output,
                 "The file to write; a folder for several files (default: beside each file, ending in .cu)")
      ->type_name("OUTPUT")
      ->check(CLI::Validator(why_not_a_name, "", ""));
  app.add_flag("--explain", request.explain,
               "Print what each task of a launch reads, writes and moves; writes no file without -o");
}

void describe_run(CLI::App& run, run_request& request) {
  add_translation_options(run, request.files, request.options);
  run.add_option("--flag", request.flags, "A flag for the compiler of the translated program")
      ->type_name("FLAG")
      ->allow_extra_args(false);
  begin_group(run, ballast::command_line::device_group);
  run.add_option("--devices", request.devices, "Where it runs, as BALLAST_DEVICES")
      ->type_name("LIST")
      ->check(CLI::Validator(why_not_a_name, "", ""));
  begin_group(run, ballast::command_line::output_group);
  run.add_option("--keep", request.keep, "A folder that keeps the translated files and the program")
      ->type_name("FOLDER")
      ->check(CLI::Validator(why_not_a_name, "", ""));
  run.add_flag("--show-commands", request.show_commands, "Print what is called");
  ballast::command_line::add_examples(
      run, {"mesicc run matmul.mcu", "mesicc run matmul.mcu --devices host:1,host:1 -- 64"},
      "What follows -- goes to the program.");
}

/// The words after the first "--", which CLI11 would take for files.
std::vector<std::string> split_at_dashes(std::vector<std::string>& words) {
  auto const dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return {};
  std::vector<std::string> rest(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return rest;
}

int carry_out(CLI::App const& run, translate_request const& translated, run_request const& ran) {
  bool const begins_before_run = translated.explain || !translated.output.empty() ||
                                 !translated.files.empty() || translated.options.allow_unpartitioned ||
                                 !translated.options.include_folders.empty() ||
                                 !translated.options.definitions.empty();
  if (run.parsed() && begins_before_run)
    return complain(exit_codes::wrong_usage, "what is for mesicc run stands behind run");
  auto const& files = run.parsed() ? ran.files : translated.files;
  if (files.empty()) return complain(exit_codes::wrong_usage, "a file is missing");
  if (std::ranges::find(files, "-") != files.end() || translated.output == "-")
    return complain(exit_codes::wrong_usage,
                    "'-' is no file: programs are read from files and written to files");
  if (run.parsed()) return run_files(ran);
  if (!ran.arguments.empty()) return complain(exit_codes::wrong_usage, "what follows -- is for mesicc run");
  return translate_files(translated);
}

int parse_and_carry_out(CLI::App& app, std::vector<std::string> words) {
  translate_request translated;
  run_request ran;
  describe_translation(app, translated);
  auto& run = *app.add_subcommand("run", "Translate, compile and run, in one step");
  describe_run(run, ran);
  ballast::command_line::end_options(app, "mesicc " BALLAST_VERSION);
  if (auto const text = ballast::command_line::told_instead(app, "mesicc", BALLAST_VERSION, words)) {
    std::cout << *text;
    return exit_codes::succeeded;
  }
  try {
    ran.arguments = split_at_dashes(words);
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(words);
    return carry_out(run, translated, ran);
  } catch (CLI::ExtrasError const&) {
    return complain(exit_codes::wrong_usage, ballast::command_line::told_unexpected(app));
  } catch (CLI::ParseError const& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);  // --help, --version
    return complain(exit_codes::wrong_usage, problem.what());
  } catch (ballast::bad_argument const& problem) {
    return complain(exit_codes::wrong_usage, problem.what());
  } catch (std::exception const& problem) { return complain(exit_codes::failed, problem.what()); }
}

}  // namespace

int main(int argc, char** argv) {
  ballast::read_files_guard const inputs;
  CLI::App app("Translates MESI-CUDA programs, which never mention a device, to ballast's jobs", "mesicc");
  ballast::command_line::add_examples(
      app,
      {"mesicc matmul.mcu", "mesicc --explain matmul.mcu", "mesicc a.mcu b.mcu -o translated -I include"},
      "Exit codes: 0 done, 1 the program is wrong or something failed, 2 wrong usage; mesicc run: the "
      "program's own, or\n"
      "128 + the signal that ended it.");
  return parse_and_carry_out(app, {argv + 1, argv + argc});
}

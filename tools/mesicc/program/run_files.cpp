// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "ballast/base/error.hpp"
#include "ballast_package.hpp"
#include "child_process.hpp"
#include "commands.hpp"
#include "diagnostic_text.hpp"
#include "scratch_folder.hpp"
#include "written_file.hpp"

namespace ballast::mesicc {
namespace {

namespace fs = std::filesystem;

/// One file per input, numbered where names repeat. Nothing if one of them is wrong.
std::optional<std::vector<fs::path>> translate_into(fs::path const& folder, run_request const& request) {
  std::vector<fs::path> sources;
  bool all = true;
  for (fs::path const file : request.files) {
    auto const made = translate(file, request.options);
    std::cerr << texts_of(made.diagnostics);
    all = all && !made.has_errors();
    auto const prefix = sources.empty() ? "" : std::to_string(sources.size()) + "-";
    sources.push_back(folder / (prefix + file.stem().string() + ".cu"));
    if (!made.has_errors()) write_file(sources.back(), made.source);
  }
  if (!all) return std::nullopt;
  return sources;
}

int run_shown(std::vector<std::string> const& words, bool shown) {
  if (shown) std::cerr << as_shell_line(words) << '\n';
  return run_and_wait(words);
}

/// Where the files and their headers were. The translated files define macros themselves.
std::vector<std::string> flags_of(run_request const& request) {
  std::vector<std::string> flags;
  for (fs::path const file : request.files) flags.push_back("-I" + fs::absolute(file).parent_path().string());
  for (auto const& folder : request.options.include_folders) flags.push_back("-I" + folder);
  flags.insert(flags.end(), request.flags.begin(), request.flags.end());
  return flags;
}

void compile(std::vector<fs::path> const& sources, fs::path const& program, run_request const& request) {
  auto const words = compile_command(package_of_this_program(), sources, program, flags_of(request));
  if (run_shown(words, request.show_commands) != 0)
    throw error("the translated program does not compile: " + as_shell_line(words));
}

fs::path folder_to_keep(std::string const& named) {
  fs::create_directories(named);
  return named;
}

}  // namespace

int run_files(run_request const& request) {
  scratch_folder const scratch;
  auto const folder = request.keep.empty() ? scratch.path() : folder_to_keep(request.keep);
  auto const sources = translate_into(folder, request);
  if (!sources) return exit_codes::failed;
  auto const program = fs::absolute(folder / fs::path(request.files.front()).stem());
  compile(*sources, program, request);
  if (!request.devices.empty()) setenv("BALLAST_DEVICES", request.devices.c_str(), 1);
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  return run_shown(words, request.show_commands);
}

}  // namespace ballast::mesicc

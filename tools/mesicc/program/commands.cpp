// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "ballast_package.hpp"
#include "child_process.hpp"
#include "diagnostic_text.hpp"
#include "scratch_folder.hpp"

namespace ballast::mesicc {
namespace {

namespace fs = std::filesystem;

fs::path output_for(fs::path const& input, translate_request const& request) {
  auto const name = input.stem().string() + ".cu";
  if (request.output.empty()) return input.parent_path() / name;
  return request.files.size() > 1 ? fs::path(request.output) / name : fs::path(request.output);
}

bool writes(translate_request const& request) { return !request.explain || !request.output.empty(); }

void refuse_colliding_outputs(translate_request const& request) {
  if (!writes(request)) return;
  std::vector<fs::path> outputs;
  for (fs::path const file : request.files) {
    auto const output = output_for(file, request);
    for (fs::path const input : request.files)
      if (is_same_file(output, input))
        throw_bad_argument("output", output.string(), "another file than the input " + input.string());
    if (std::ranges::any_of(outputs, [&](auto const& other) { return is_same_file(output, other); }))
      throw_bad_argument("output", output.string(), "a file for each input; two of them have this one");
    outputs.push_back(output);
  }
}

bool translate_one(fs::path const& file, translate_request const& request) {
  auto const made = translate(file, request.options);
  std::cerr << texts_of(made.diagnostics);
  if (made.has_errors()) return false;
  if (request.explain) std::cout << made.explanation << std::flush;
  if (!std::cout) throw error("cannot write to standard output");
  if (writes(request)) replace_file(output_for(file, request), made.source);
  return true;
}

}  // namespace

int translate_files(translate_request const& request) {
  refuse_colliding_outputs(request);
  bool all = true;
  for (fs::path const file : request.files) all = translate_one(file, request) && all;
  return all ? exit_codes::succeeded : exit_codes::failed;
}

namespace {

/// One file per input, numbered if names repeat.
std::vector<fs::path> outputs_in(fs::path const& folder, run_request const& request) {
  std::vector<fs::path> outputs;
  for (fs::path const file : request.files) {
    auto output = folder / (file.stem().string() + ".cu");
    for (int i = 2; std::ranges::find(outputs, output) != outputs.end(); ++i)
      output = folder / (file.stem().string() + "-" + std::to_string(i) + ".cu");
    outputs.push_back(std::move(output));
  }
  return outputs;
}

fs::path program_in(fs::path const& folder, run_request const& request) {
  return fs::absolute(folder / fs::path(request.files.front()).stem());
}

void refuse_one_file_twice(run_request const& request) {
  for (auto one = request.files.begin(); one != request.files.end(); ++one)
    if (std::any_of(request.files.begin(), one, [&](auto const& other) { return is_same_file(*one, other); }))
      throw_bad_argument("files", *one, "each file once");
}

void refuse_colliding_files(fs::path const& folder, run_request const& request) {
  auto outputs = outputs_in(folder, request);
  outputs.push_back(program_in(folder, request));
  for (auto one = outputs.begin(); one != outputs.end(); ++one)
    if (std::any_of(outputs.begin(), one, [&](auto const& other) { return is_same_file(*one, other); }))
      throw_bad_argument("--keep", folder.string(),
                         "another folder, as " + one->string() + " there is a link to what is written too");
  for (auto const& output : outputs)
    for (auto const& input : request.files)
      if (is_same_file(output, input))
        throw_bad_argument(
            "--keep", folder.string(),
            "another folder, as " + output.string() + " there would be written over the input " + input);
}

/// The text of each file; nothing if one of the inputs is wrong.
std::optional<std::vector<std::string>> translated(run_request const& request) {
  std::vector<std::string> texts;
  bool all = true;
  for (auto const& file : request.files) {
    auto options = request.options;
    options.headers_by_path = true;
    auto made = translate(file, options);
    std::cerr << texts_of(made.diagnostics);
    all = all && !made.has_errors();
    texts.push_back(std::move(made.source));
  }
  if (!all) return std::nullopt;
  return texts;
}

std::vector<fs::path> write_into(fs::path const& folder, std::vector<std::string> const& texts,
                                 run_request const& request) {
  auto outputs = outputs_in(folder, request);
  for (std::size_t i = 0; i < outputs.size(); ++i) replace_file(outputs[i], texts[i]);
  return outputs;
}

int run_shown(std::vector<std::string> const& words, run_request const& request,
              held_signals const& signals) {
  if (request.show_commands) std::cerr << as_shell_line(words) << '\n';
  return run_and_wait(words, signals);
}

/// The compiler's flags for translated files. These files define macros themselves, and refer by path to
/// headers that were next to the originals.
std::vector<std::string> flags_of(run_request const& request) {
  std::vector<std::string> flags;
  for (auto const& folder : request.options.include_folders) flags.push_back("-I" + folder);
  flags.insert(flags.end(), request.flags.begin(), request.flags.end());
  return flags;
}

/// Compiles the program. If a signal stopped the compiler, returns the exit code with which `mesicc run` must
/// end.
std::optional<int> compile(std::vector<fs::path> const& sources, fs::path const& program,
                           run_request const& request, held_signals const& signals) {
  auto const words = compile_command(package_of_this_program(), sources, program, flags_of(request));
  int const code = run_shown(words, request, signals);
  if (code == 128 + SIGINT || code == 128 + SIGTERM || code == 128 + SIGHUP) return code;
  if (code != 0) throw error("the translated program does not compile: " + as_shell_line(words));
  return std::nullopt;
}

fs::path folder_to_keep(std::string const& named) {
  fs::create_directories(named);
  return named;
}

}  // namespace

int run_files(run_request const& request) {
  refuse_one_file_twice(request);
  if (!request.keep.empty()) refuse_colliding_files(folder_to_keep(request.keep), request);
  auto const texts = translated(request);
  if (!texts) return exit_codes::failed;
  held_signals const signals;  // before there is a folder to remove
  scratch_folder const scratch;
  auto const folder = request.keep.empty() ? scratch.path() : fs::path(request.keep);
  auto const sources = write_into(folder, *texts, request);
  auto const program = program_in(folder, request);
  if (auto const stopped = compile(sources, program, request, signals)) return *stopped;
  if (!request.devices.empty()) setenv("BALLAST_DEVICES", request.devices.c_str(), 1);
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  return run_shown(words, request, signals);
}

}  // namespace ballast::mesicc

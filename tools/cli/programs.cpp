// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "command_line/program.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "ballast-";

struct known_program {
  std::string_view name, option, summary;
};

constexpr known_program known_programs[] = {
    {"bench", "BALLAST_BENCHMARKS", "Measure what the papers measured, and what they did not"},
    {"cluster", "BALLAST_BENCHMARKS=ON -D BALLAST_CLUSTER",
     "List the ranks that mpirun started, and measure them"},
    {"connect4", "BALLAST_APPS", "Four in a row against the computer; its search balances itself"},
    {"ep", "BALLAST_APPS", "NAS's benchmark EP as jobs over several devices"},
    {"hotspot", "BALLAST_APPS", "Rodinia's hotspot as jobs over shared arrays"},
    {"matmul", "BALLAST_APPS", "The matrix product of Ohno et al. 2016 as jobs"},
    {"md", "BALLAST_APPS", "Molecular dynamics, balanced in four ways"},
    {"mesicc", "BALLAST_MESICC", "Translate CUDA programs that mention no device"},
    {"nanodroplet", "BALLAST_APPS", "A water droplet sampled by many Markov chains of small kernels"}};

known_program const* find_known(std::string_view name) {
  auto const found = std::ranges::find(known_programs, name, &known_program::name);
  return found == std::end(known_programs) ? nullptr : found;
}

bool can_be_run(fs::path const& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

/// True if the word has only letters, digits and dashes, so that the name cannot leave its folder or drive a
/// terminal.
bool is_a_name(std::string_view word) {
  auto const fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  };
  return !word.empty() && std::ranges::all_of(word, fits);
}

std::set<std::string> programs_in(fs::path const& folder) {
  std::set<std::string> names;
  std::error_code unreadable;
  for (auto const& entry : fs::directory_iterator(folder, unreadable)) {
    auto const name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !can_be_run(entry.path())) continue;
    if (auto const word = name.substr(prefix.size()); is_a_name(word)) names.insert(word);
  }
  return names;
}

/// The suggestion for an unknown command, from all commands that exist or could be built.
std::string meant_by(std::string_view name, fs::path const& folder,
                     std::vector<std::string> const& own_commands) {
  auto const there = programs_in(folder);
  std::vector<std::string_view> names(own_commands.begin(), own_commands.end());
  for (auto const& one : known_programs) names.push_back(one.name);
  for (auto const& one : there)
    if (find_known(one) == nullptr) names.push_back(one);
  return did_you_mean(names, name);
}

std::string how_to_build(known_program const& one) { return fmt::format("cmake -D {}=ON", one.option); }

}  // namespace

fs::path own_folder() {
  std::error_code failed;
  auto const own = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw error("cannot read /proc/self/exe: " + failed.message());
  return own.parent_path();
}

std::string list_programs(fs::path const& folder) {
  auto const there = programs_in(folder);
  std::string text = "Programs beside this one (`ballast NAME --help` explains each):\n";
  for (auto const& name : there) {
    auto const* const known = find_known(name);
    text += fmt::format("  {:<24}{}\n", name, known == nullptr ? "" : known->summary);
  }
  if (there.empty()) text += "  none\n";
  std::string missing;
  for (auto const& one : known_programs)
    if (!there.contains(std::string(one.name)))
      missing += fmt::format("  {:<24}{} ({})\n", one.name, one.summary, how_to_build(one));
  if (!missing.empty()) text += "\nNot built here:\n" + missing;
  return text;
}

fs::path program_file(fs::path const& folder, std::string const& name,
                      std::vector<std::string> const& own_commands) {
  auto const file = folder / (std::string(prefix) + name);
  auto const* const known = find_known(name);
  std::error_code ignored;
  if (is_a_name(name) && fs::exists(file, ignored)) return file;
  if (known != nullptr)
    throw error(fmt::format("{} was not built: there is no {} (build it with {})", name, file.string(),
                            how_to_build(*known)));
  throw_bad_argument("command", "'" + name + "'",
                     "a command that `ballast --help` lists" + meant_by(name, folder, own_commands));
}

std::vector<fs::path> known_programs_in(fs::path const& folder) {
  std::vector<fs::path> files;
  for (auto const& name : programs_in(folder))
    if (find_known(name) != nullptr) files.push_back(folder / (std::string(prefix) + name));
  return files;
}

void announce_version() { setenv(command_line::caller_variable, BALLAST_VERSION, 1); }

void exec_program(fs::path const& folder, char** argv, std::vector<std::string> const& own_commands) {
  std::string own_name = program_file(folder, argv[1], own_commands).string();
  announce_version();
  std::vector<char*> words{own_name.data()};
  for (char** word = argv + 2; *word != nullptr; ++word) words.push_back(*word);
  words.push_back(nullptr);
  execv(own_name.c_str(), words.data());
  throw error(fmt::format("{} cannot be run: {}", own_name, std::strerror(errno)));
}

}  // namespace ballast::cli

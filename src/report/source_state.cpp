// SPDX-License-Identifier: Apache-2.0
#include "ballast/report/source_state.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "ballast/base/environment.hpp"

namespace ballast::inline report {
namespace {

std::string shell_quoted(std::string const& text) {
  std::string quoted = "'";
  for (char const letter : text) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + '\'';
}

/// What git prints about a folder, without the last newline; nothing if it fails.
std::optional<std::string> git(std::filesystem::path const& folder, std::string const& arguments) {
  std::string const command = "git -C " + shell_quoted(folder.string()) + ' ' + arguments + " 2>/dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  for (int letter; (letter = std::fgetc(pipe)) != EOF;) output += static_cast<char>(letter);
  int const status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  if (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

/// src/report/source_state.cpp lies three levels below the root.
std::filesystem::path source_root() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}

source_state ask_git(std::filesystem::path const& root) {
  auto const prefix = git(root, "rev-parse --show-prefix");
  if (!prefix || !prefix->empty()) return {};  // no checkout, or a copy inside another project's checkout
  auto const commit = git(root, "rev-parse HEAD");
  auto const changes = git(root, "status --porcelain --untracked-files=no");
  if (!commit || !changes) return {};
  return {*commit, changes->empty()};
}

}  // namespace

source_state parse_source(std::string_view text) {
  constexpr std::string_view mark = "-dirty";
  bool const dirty = text.ends_with(mark);
  if (dirty) text.remove_suffix(mark.size());
  return {std::string(text), !dirty};
}

source_state current_source() {
  if (auto const given = environment("BALLAST_COMMIT")) return parse_source(*given);
  std::filesystem::path const root = source_root();
  return root.is_absolute() ? ask_git(root) : source_state{};
}

}  // namespace ballast::inline report

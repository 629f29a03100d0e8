// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ballast::mesicc {
namespace {

std::string named(severity level) {
  if (level == severity::error) return "error";
  return level == severity::warning ? "warning" : "remark";
}

std::string line(place const& where, std::string const& kind, std::string const& message) {
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " + kind +
         ": " + message + "\n";
}

}  // namespace

std::string golden(std::string const& name, std::string const& said) {
  auto const file = std::filesystem::path(GOLDEN_FOLDER) / (name + ".txt");
  if (std::getenv("BALLAST_REWRITE_GOLDEN") != nullptr) std::ofstream(file) << said;
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string listed(std::vector<diagnostic> const& diagnostics) {
  std::string lines;
  for (auto const& one : diagnostics) {
    lines += line(one.where, named(one.level), one.message);
    for (auto const& note : one.notes) lines += line(note.where, "note", note.message);
  }
  return lines;
}

}  // namespace ballast::mesicc

// SPDX-License-Identifier: Apache-2.0
#include "ballast_package.hpp"

#include <fstream>

#include "ballast/error.hpp"

namespace ballast::mesicc {
namespace {

namespace fs = std::filesystem;

constexpr char file_name[] = "mesicc.package";

/// Stores the value in the member of that name; false if there is none.
bool take(ballast_package& package, std::string const& name, std::string const& value,
          fs::path const& folder) {
  auto const path = [&] { return (folder / value).lexically_normal(); };
  if (name == "compiler") return package.compiler = value, true;
  if (name == "nvcc") return package.nvcc = value, true;
  if (name == "gpu_architecture") return package.gpu_architecture = value, true;
  if (name == "flag") return package.flags.push_back(value), true;
  if (name == "include") return package.include_folders.push_back(path()), true;
  if (name == "library") return package.libraries.push_back(path()), true;
  return false;
}

std::vector<std::string> compiler_of(ballast_package const& package) {
  if (package.nvcc.empty())
    return {package.compiler, "-std=c++20", "-O3", "-pthread", "-DBALLAST_HAVE_CUDA=0"};
  return {package.nvcc,
          "-std=c++20",
          "-O3",
          "-arch=" + package.gpu_architecture,
          "--expt-relaxed-constexpr",
          "-Xcompiler=-pthread",
          "-DBALLAST_HAVE_CUDA=1"};
}

}  // namespace

ballast_package read_package(std::istream& text, fs::path const& folder) {
  ballast_package package;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == '#') continue;
    auto const equals = line.find('=');
    bool const known =
        equals != std::string::npos && take(package, line.substr(0, equals), line.substr(equals + 1), folder);
    if (!known) throw error((folder / file_name).string() + " has a line that is not understood: " + line);
  }
  return package;
}

ballast_package package_of_this_program() {
  auto const own = fs::canonical("/proc/self/exe").parent_path();
  for (auto const& folder : {own, own.parent_path() / "share" / "ballast"})
    if (std::ifstream text(folder / file_name); text) return read_package(text, folder);
  throw error(std::string("cannot find ") + file_name + " in " + own.string() + " or " +
              (own.parent_path() / "share" / "ballast").string() +
              ", which says where ballast is; `mesicc FILE -o OUTPUT` works without it");
}

std::vector<std::string> compile_command(ballast_package const& package, std::vector<fs::path> const& sources,
                                         fs::path const& program, std::vector<std::string> const& further) {
  auto words = compiler_of(package);
  words.insert(words.end(), package.flags.begin(), package.flags.end());
  for (auto const& folder : package.include_folders) words.push_back("-I" + folder.string());
  words.insert(words.end(), further.begin(), further.end());
  words.insert(words.end(), {"-o", program.string()});
  if (package.nvcc.empty()) words.insert(words.end(), {"-x", "c++"});  // nvcc recognises them by their names
  for (auto const& source : sources) words.push_back(source.string());
  if (package.nvcc.empty()) words.insert(words.end(), {"-x", "none"});
  for (auto const& library : package.libraries) words.push_back(library.string());
  return words;
}

}  // namespace ballast::mesicc

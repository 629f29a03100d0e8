// SPDX-License-Identifier: Apache-2.0
// Hands mutated programs to mesicc for some time. It has to end soon, with 0 or 1, and to say why if it is 1.
// ballast_fuzz_mesicc FOLDER [SECONDS [SEED]]: FOLDER holds the programs to begin with.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "mutation.hpp"
#include "scratch_folder.hpp"

namespace ballast::mesicc {
namespace {

namespace fs = std::filesystem;

std::string contents(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> programs_in(fs::path const& folder) {
  std::vector<fs::path> paths;
  for (auto const& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".mcu") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (auto const& path : paths) texts.push_back(contents(path));
  return texts;
}

/// What is wrong with how mesicc ended; empty if nothing is.
std::string complaint_about(fs::path const& folder) {
  auto const mesicc = fs::canonical("/proc/self/exe").parent_path() / "mesicc";
  auto const line = "cd '" + folder.string() + "' && timeout -s KILL 30 '" + mesicc.string() +
                    "' p.mcu -o p.cu --allow-unpartitioned >/dev/null 2>err.txt";
  int const status = std::system(line.c_str());
  int const code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 128 + 9) return "runs for more than 30 s";
  if (code != 0 && code != 1)
    return "ends with code " + std::to_string(code) + "\n" + contents(folder / "err.txt");
  if (code == 1 && contents(folder / "err.txt").find("error:") == std::string::npos)
    return "refuses it without a reason";
  return {};
}

int run(fs::path const& corpus, std::chrono::seconds duration, unsigned seed) {
  scratch_folder const scratch;
  mutation programs(programs_in(corpus), seed);
  auto const end = std::chrono::steady_clock::now() + duration;
  int tried = 0;
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    std::ofstream(scratch.path() / "p.mcu", std::ios::binary) << programs.next();
    auto const complaint = complaint_about(scratch.path());
    if (complaint.empty()) continue;
    fs::copy_file(scratch.path() / "p.mcu", "fuzz-failure.mcu", fs::copy_options::overwrite_existing);
    std::printf("program %d of seed %u (kept as fuzz-failure.mcu): mesicc %s\n", tried, seed,
                complaint.c_str());
    return 1;
  }
  std::printf("%d programs of seed %u\n", tried, seed);
  return tried == 0 ? 1 : 0;
}

}  // namespace
}  // namespace ballast::mesicc

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: ballast_fuzz_mesicc FOLDER [SECONDS [SEED]]\n", stderr), 2;
  auto const seconds = argc > 2 ? std::atoi(argv[2]) : 60;
  auto const seed = argc > 3 ? unsigned(std::atoi(argv[3]))
                             : unsigned(std::chrono::system_clock::now().time_since_epoch().count());
  return ballast::mesicc::run(argv[1], std::chrono::seconds(seconds), seed);
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "scratch_folder.hpp"

namespace ballast::mesicc {

/// What a run of mesicc printed and how it ended.
struct outcome {
  std::string out, err;
  int code = -1;
};

inline std::filesystem::path own_folder() {
  return std::filesystem::canonical("/proc/self/exe").parent_path();
}

inline std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// mesicc run for programs that take no time to speak of, compiled without optimisation.
inline std::string const quick_run = "run " QUICK " ";

/// Files of a test, in a folder of their own where mesicc runs, so that messages name them without a folder.
class working_folder {
 public:
  void add(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name, std::ios::binary) << text;
  }
  /// A copy of a program, and of the headers beside it.
  void add_sources(std::filesystem::path const& program) const {
    for (auto const& entry : std::filesystem::directory_iterator(program.parent_path()))
      if (entry.path().extension() == ".h" || entry.path() == program)
        std::filesystem::copy(entry.path(), path());
  }
  std::string text_of(std::string const& name) const { return contents(path() / name); }
  std::filesystem::path const& path() const { return scratch_.path(); }

  /// Through the shell, ended after `seconds`. `before` sets variables.
  outcome run(std::string const& arguments, std::string const& before = "env -u BALLAST_DEVICES",
              int seconds = 60) const {
    std::string const line = "cd '" + path().string() + "' && " + before + " timeout " +
                             std::to_string(seconds) + " '" + (own_folder() / "mesicc").string() + "' " +
                             arguments + " >out.txt 2>err.txt";
    int const status = std::system(line.c_str());
    return {text_of("out.txt"), text_of("err.txt"), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  }

 private:
  test::scratch_folder scratch_;
};

/// Of a program that is right; fails the test if it is refused. Without the lines that stand before the
/// program.
inline std::string translated(std::string const& source, std::string const& options = "") {
  working_folder const folder;
  folder.add("program.mcu", source);
  auto const result = folder.run("program.mcu -o program.cu " + options);
  EXPECT_EQ(result.code, 0) << result.err;
  auto const text = folder.text_of("program.cu");
  std::string const line = "#line 1 \"program.mcu\"\n";
  auto const begin = text.find(line);
  return begin == std::string::npos ? text : text.substr(begin + line.size());
}

}  // namespace ballast::mesicc

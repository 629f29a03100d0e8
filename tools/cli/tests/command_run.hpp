// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ballast::cli {

/// The output of a run of the command, and how it ended.
struct outcome {
  std::string out, err;
  int code = -1;
};

/// The folder of the tests and of the programs that they run.
inline std::filesystem::path tested_folder() {
  return std::filesystem::canonical("/proc/self/exe").parent_path();
}

inline std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs the command, or `program`, through the shell. `before` sets variables, e.g. "BALLAST_DEVICES=host:1".
inline outcome run(std::string const& arguments, std::string const& before = "env -u BALLAST_DEVICES",
                   std::filesystem::path const& program = tested_folder() / "ballast") {
  std::string const name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::path const out = tested_folder() / (name + ".out"),
                              err = tested_folder() / (name + ".err");
  std::string const line = before + " '" + program.string() + "' " + arguments + " >'" + out.string() +
                           "' 2>'" + err.string() + "'";
  int const status = std::system(line.c_str());
  outcome result{contents(out), contents(err), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return result;
}

/// Expects no output, one sentence of complaint that contains `reason`, and the exit code `code`.
inline void expect_refusal(std::string const& arguments, std::string const& reason, int code = 2) {
  SCOPED_TRACE("ballast " + arguments);
  outcome const result = run(arguments);
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, testing::StartsWith("ballast: "));
  EXPECT_THAT(result.err, testing::HasSubstr(reason));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

}  // namespace ballast::cli

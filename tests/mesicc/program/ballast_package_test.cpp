// SPDX-License-Identifier: Apache-2.0
#include "ballast_package.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ballast/error.hpp"
#include "child_process.hpp"

namespace ballast::mesicc {
namespace {

ballast_package read(std::string const& text) {
  std::istringstream stream(text);
  return read_package(stream, "/opt/ballast/share/ballast");
}

TEST(ballast_package, paths_are_relative_to_its_file) {
  auto const package =
      read("# a remark\n\ncompiler=g++\nflag=-march=native\ninclude=../../include\nlibrary=../../lib/a.a\n");
  EXPECT_EQ(package.compiler, "g++");
  EXPECT_EQ(package.include_folders, (std::vector<std::filesystem::path>{"/opt/ballast/include"}));
  EXPECT_EQ(package.libraries, (std::vector<std::filesystem::path>{"/opt/ballast/lib/a.a"}));
}

TEST(ballast_package, says_which_line_it_does_not_understand) {
  for (auto const* const line : {"colour=red", "no equals sign"}) try {
      read(line);
      FAIL() << line;
    } catch (error const& problem) { EXPECT_THAT(problem.what(), testing::HasSubstr(line)); }
}

TEST(ballast_package, compiles_with_the_cpp_compiler_where_there_are_no_gpus) {
  auto const package = read("compiler=g++\nflag=-march=native\ninclude=i\nlibrary=/l/x.a\n");
  EXPECT_EQ(as_shell_line(compile_command(package, {"p.cu", "q.cu"}, "p", {"-g"})),
            "g++ -std=c++20 -O3 -pthread -DBALLAST_HAVE_CUDA=0 -march=native -I/opt/ballast/share/ballast/i "
            "-g -o p "
            "-x c++ p.cu q.cu -x none /l/x.a");
}

TEST(ballast_package, compiles_with_nvcc_where_the_package_has_gpus) {
  auto const package =
      read("nvcc=/usr/local/cuda/bin/nvcc\ngpu_architecture=sm_90a\ninclude=/i\nlibrary=/l/x.a\n");
  EXPECT_EQ(
      as_shell_line(compile_command(package, {"p.cu"}, "p", {})),
      "/usr/local/cuda/bin/nvcc -std=c++20 -O3 -arch=sm_90a --expt-relaxed-constexpr -Xcompiler=-pthread "
      "-DBALLAST_HAVE_CUDA=1 -I/i -o p p.cu /l/x.a");
}

TEST(child_process, returns_the_exit_code_or_128_and_the_signal) {
  held_signals const signals;
  EXPECT_EQ(run_and_wait({"true"}, signals), 0);
  EXPECT_EQ(run_and_wait({"sh", "-c", "exit 7"}, signals), 7);
  EXPECT_EQ(run_and_wait({"sh", "-c", "kill -TERM $$"}, signals), 128 + 15);
}

TEST(child_process, says_what_cannot_be_run) {
  try {
    run_and_wait({"no-such-program-anywhere"}, held_signals());
    FAIL();
  } catch (error const& problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("no-such-program-anywhere"));
  }
}

TEST(child_process, shows_words_as_a_shell_takes_them) {
  EXPECT_EQ(as_shell_line({"a", "b c", "", "d'e", "-x=1"}), "a 'b c' '' 'd'\\''e' -x=1");
}

}  // namespace
}  // namespace ballast::mesicc

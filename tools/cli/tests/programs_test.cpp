// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A folder with the program `ballast` alone, and the files that a test adds.
class lone_ballast : public testing::Test {
 protected:
  lone_ballast() {
    fs::create_directory(folder_);
    fs::copy_file(tested_folder() / "ballast", folder_ / "ballast");
  }

  void put(std::string const& name, std::string const& script) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << script << '\n';
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  outcome run_there(std::string const& arguments, std::string const& before = "env") const {
    return run(arguments, before, folder_ / "ballast");
  }
  fs::path const& folder() const { return folder_; }

 private:
  test::scratch_folder around_;
  fs::path folder_ = around_.path() / "folder of one ballast";
};

using cli_programs = lone_ballast;

TEST_F(cli_programs, are_listed_with_what_they_do_and_those_not_built_with_how_to_build_them) {
  put("ballast-md", "exit 0");
  auto const help = run_there("--help");
  EXPECT_EQ(help.code, 0);
  auto const split = help.out.find("Not built here:");
  ASSERT_NE(split, std::string::npos) << help.out;
  EXPECT_THAT(help.out.substr(0, split), HasSubstr("  md  "));
  EXPECT_THAT(help.out.substr(0, split), Not(HasSubstr("mesicc")));
  for (char const* const said : {"  bench  ", "BALLAST_BENCHMARKS=ON", "  mesicc  ", "BALLAST_MESICC=ON"})
    EXPECT_THAT(help.out.substr(split), HasSubstr(said));
  EXPECT_THAT(help.out.substr(split), Not(HasSubstr("  md  ")));
}

TEST_F(cli_programs, of_others_are_listed_and_run_too) {
  put("ballast-brew", "echo \"coffee $*\"; exit 7");
  EXPECT_THAT(run_there("--help").out, HasSubstr("  brew"));
  auto const brewed = run_there("brew --strong 'two cups'");
  EXPECT_EQ(brewed.out, "coffee --strong two cups\n");
  EXPECT_EQ(brewed.code, 7);
}

TEST_F(cli_programs, that_were_not_built_are_named_with_the_option_that_builds_them) {
  auto const missing = run_there("md --atoms 10");
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err, "ballast: md was not built: there is no " + (folder() / "ballast-md").string() +
                             " (build it with cmake -D BALLAST_APPS=ON)\n");
}

TEST_F(cli_programs, that_cannot_be_executed_are_not_listed_and_say_why_when_run) {
  put("ballast-brew", "exit 0");
  fs::permissions(folder() / "ballast-brew", fs::perms::owner_read);
  EXPECT_THAT(run_there("--help").out, Not(HasSubstr("brew")));
  auto const refused = run_there("brew");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("ballast-brew cannot be run: Permission denied"));
}

TEST_F(cli_programs, of_another_version_refuse_to_run) {
  fs::copy_file(tested_folder() / "ballast-connect4", folder() / "ballast-connect4");
  EXPECT_EQ(run_there("connect4 --version").code, 0);
  auto const refused = run("--version", "env BALLAST_CALLED_BY=0.0.9", folder() / "ballast-connect4");
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err,
            "ballast: ballast is of version 0.0.9 and ballast-connect4 of version " BALLAST_VERSION
            ": install both from one build\n");
}

TEST_F(cli_programs, are_told_no_version_that_their_own_children_would_see) {
  put("ballast-brew", "echo \"${BALLAST_CALLED_BY:-nobody}\"");
  EXPECT_EQ(run_there("brew").out, BALLAST_VERSION "\n");
  // `ballast` itself does not pass on the version that it received.
  EXPECT_EQ(run_there("brew", "env BALLAST_CALLED_BY=" BALLAST_VERSION).out, BALLAST_VERSION "\n");
}

TEST_F(cli_programs, lie_beside_ballast_however_that_is_called) {
  put("ballast-brew", "echo brewed");
  fs::create_directory(folder() / "elsewhere");
  fs::create_symlink(folder() / "ballast", folder() / "elsewhere" / "ballast");
  EXPECT_EQ(run("brew", "env", folder() / "elsewhere" / "ballast").out, "brewed\n");
}

TEST_F(cli_programs, are_looked_for_in_no_other_folder) {
  fs::create_directory(folder() / "ballast-out");
  put("ballast-out/run", "echo ran");
  for (char const* const name : {"out/run", "../ballast", "''", "Brew", "br.ew"}) {
    auto const refused = run_there(name);
    EXPECT_EQ(refused.code, 2) << name;
    EXPECT_THAT(refused.err, StartsWith("ballast: command is ")) << name;
  }
}

TEST(cli_program, run_by_its_own_name_does_what_ballast_makes_it_do) {
  auto const by_name = run("--help", "env", tested_folder() / "ballast-md"), by_ballast = run("md --help");
  EXPECT_EQ(by_name.code, 0);
  EXPECT_EQ(by_name.out, by_ballast.out);
  EXPECT_THAT(by_name.out, HasSubstr("--atoms"));
  EXPECT_EQ(run("md --version").out, "ballast-md " BALLAST_VERSION "\n");
}

}  // namespace
}  // namespace ballast::cli

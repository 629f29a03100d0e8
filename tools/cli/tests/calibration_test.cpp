// SPDX-License-Identifier: Apache-2.0
// `ballast devices --calibrate`, with a cache folder of its own.
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "command_run.hpp"
#include "folder_test.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class cli_calibration : public test::folder_test {
 protected:
  outcome run_here(std::string const& arguments) const {
    return run(arguments, "env -u BALLAST_DEVICES XDG_CACHE_HOME='" + folder.path().string() + "'");
  }
  outcome listed() const { return run_here("devices --no-links --devices host:1"); }
  std::string file() const { return folder.file("ballast/costs"); }
  /// Expects one sentence that names the file, and no measurement.
  void expect_unwritable() const {
    auto const result = run_here("devices --calibrate --devices host:1");
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("ballast: cannot write " + file() + ": "));
  }
};

TEST_F(cli_calibration, is_kept_for_the_programs_that_start_later) {
  EXPECT_THAT(listed().out, ContainsRegex("host:1 .* defaults "));
  auto const measured = run_here("devices --calibrate --json --devices host:1,host:2");
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_EQ(measured.err, "");
  auto const told = nlohmann::json::parse(measured.out);
  EXPECT_EQ(told["file"], file());
  ASSERT_EQ(told["devices"].size(), 1u) << "all cores have the same costs";
  std::string const day = told["devices"][0]["calibrated"];
  auto const& costs = told["devices"][0]["costs"];
  for (auto const* const name :
       {"launch_ns", "merged_launch_ns", "start_ns", "copy_ns", "host_bytes_per_ns", "peer_bytes_per_ns"}) {
    ASSERT_TRUE(costs.contains(name)) << name;
    EXPECT_GT(costs[name].get<double>(), 0) << name;
  }
  EXPECT_EQ(costs.size(), 6u) << "cores have no graphs";

  auto const later = listed();
  EXPECT_EQ(later.err, "");
  EXPECT_THAT(later.out, ContainsRegex("host:1 .* calibrated " + day + " "));
  auto const as_json = run_here("devices --no-links --json --devices host:2");
  EXPECT_EQ(nlohmann::json::parse(as_json.out)["devices"][0]["costs"], day);
  auto const job = run_here("ep --class S --json --devices host:1");
  ASSERT_EQ(job.code, 0) << job.err;
  EXPECT_EQ(nlohmann::json::parse(job.out)["costs"], nlohmann::json::array({day}));
}

TEST_F(cli_calibration, prints_a_table_and_where_it_is_kept) {
  auto const measured = run_here("devices --calibrate --devices host:1");
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out, StartsWith("cost "));
  EXPECT_THAT(measured.out, ContainsRegex("\nlaunch_ns +[0-9]"));
  EXPECT_THAT(measured.out, ContainsRegex("\nbuild_graph_ns +-\n"));
  EXPECT_THAT(measured.out, HasSubstr("\nkept in " + file() + "\n"));
}

TEST_F(cli_calibration, that_is_broken_is_told_of_and_replaced_by_the_next) {
  fs::create_directory(folder.file("ballast"));
  folder.file("ballast/costs", "ballast-costs 2\ndevice cores");
  auto const told = listed();
  EXPECT_EQ(told.code, 0);
  EXPECT_EQ(told.err, "ballast: the costs in " + file() +
                          " are not used, but defaults: line 2: the text is cut off (`ballast devices "
                          "--calibrate` measures them)\n");
  EXPECT_THAT(told.out, HasSubstr(" defaults "));
  ASSERT_EQ(run_here("devices --calibrate --devices host:1").code, 0);
  EXPECT_EQ(listed().err, "");
}

TEST_F(cli_calibration, of_another_machine_is_told_of_and_kept) {
  fs::create_directory(folder.file("ballast"));
  folder.file("ballast/costs", "ballast-costs 2\ndevice cores 4096 Another CPU\nmeasured 2026-11-26\nend\n");
  auto const told = listed();
  EXPECT_THAT(told.err, HasSubstr("defaults: they are of other cores than "));
  EXPECT_THAT(told.out, HasSubstr(" defaults "));
  ASSERT_EQ(run_here("devices --calibrate --devices host:1").code, 0);
  EXPECT_EQ(listed().err, "");
  EXPECT_THAT(contents(file()), HasSubstr("device cores 4096 Another CPU\n"));
}

TEST_F(cli_calibration, fails_before_it_measures_where_nothing_can_be_written) {
  folder.file("ballast", "a file in place of the folder");
  expect_unwritable();
  fs::remove(folder.file("ballast"));
  fs::create_directories(file());
  expect_unwritable();
  EXPECT_THAT(listed().err, HasSubstr("defaults: it is no file"));
}

TEST_F(cli_calibration, fails_in_a_folder_that_may_not_be_written) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directory(folder.file("ballast"));
  fs::permissions(folder.file("ballast"), fs::perms::owner_read | fs::perms::owner_exec);
  expect_unwritable();
  fs::permissions(folder.file("ballast"), fs::perms::owner_all);
}

TEST_F(cli_calibration, refuses_what_would_do_nothing_or_measure_something_else) {
  expect_refusal("devices --calibrate --no-links --devices host:1", "--no-links");
  expect_refusal("devices --calibrate --cluster", "--cluster");
  auto const slow = run_here("devices --calibrate --devices host:1/2");
  EXPECT_EQ(slow.code, 2);
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_THAT(slow.err, HasSubstr("--devices is host:1/2; legal is devices without a slowdown"));
}

}  // namespace
}  // namespace ballast::cli

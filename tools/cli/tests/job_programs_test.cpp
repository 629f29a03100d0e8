// SPDX-License-Identifier: Apache-2.0
// The programs made of jobs: ep, hotspot and matmul.

#include <nlohmann/json.hpp>

#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

nlohmann::json answer_to(std::string const& arguments) {
  auto const answered = run(arguments);
  EXPECT_EQ(answered.code, 0) << answered.err;
  EXPECT_EQ(answered.err, "");
  return nlohmann::json::parse(answered.out, nullptr, false);
}

void expect_common_members(nlohmann::json const& answer) {
  EXPECT_GT(answer["seconds"], 0);
  EXPECT_EQ(answer["devices"].size(), 2u);
  EXPECT_GT(answer["bytes_moved"], 0);
  EXPECT_GE(answer["tasks"], 2);
  EXPECT_EQ(answer["verified"], true);
}

TEST(cli_job_programs, ep_finds_what_is_known_of_class_W) {
  auto const answer = answer_to("ep --class W --devices host:1,host:1 --json");
  expect_common_members(answer);
  EXPECT_EQ(answer["class"], "W");
  EXPECT_NEAR(answer["sx"], -2.863319731645753e3, 1e-8 * 2.8e3);
  EXPECT_NEAR(answer["sy"], -6.320053679109499e3, 1e-8 * 6.3e3);
  EXPECT_EQ(answer["pairs"], 26354769);
  EXPECT_EQ(answer["counts"], nlohmann::json({12281576, 11729692, 2202726, 137368, 3371, 36, 0, 0, 0, 0}));
}

TEST(cli_job_programs, hotspot_finds_what_is_known_of_512_cells_squared) {
  auto const answer = answer_to("hotspot --size 512 --steps 1000 --devices host:1,host:1 --json");
  expect_common_members(answer);
  EXPECT_EQ(answer["size"], 512);
  EXPECT_EQ(answer["steps"], 1000);
  EXPECT_NEAR(answer["sum"], 81298762.18625, 1e-4 * 8.1e7);
  EXPECT_NEAR(answer["first"], 310.1530889196, 0.031);
  EXPECT_NEAR(answer["middle"], 310.0954874215, 0.031);
  EXPECT_NEAR(answer["last"], 310.1306583827, 0.031);
}

TEST(cli_job_programs, matmul_multiplies_matrices_of_512) {
  auto const answer = answer_to("matmul --size 512 --devices host:1,host:1 --json");
  expect_common_members(answer);
  EXPECT_EQ(answer["size"], 512);
}

TEST(cli_job_programs, keep_nothing_on_devices_if_told_so) {
  for (std::string const program : {"matmul --size 64", "ep", "hotspot --size 64 --steps 3"}) {
    auto const answer = answer_to(program + " --devices host:1,host:1 --no-reuse --json");
    expect_common_members(answer);
    EXPECT_EQ(answer["reuse"], false) << program;
  }
}

TEST(cli_job_programs, refuse_wrong_usage_under_the_option_that_was_typed) {
  expect_refusal("ep --class Z", "ballast: --class is Z; legal is S, W, A, B, C, D or E");
  expect_refusal("hotspot --size 0", "ballast: --size is 0; legal is a whole number from 1 to 32768");
  expect_refusal("matmul --policy luck --devices host:1", "ballast: --policy is luck; legal is ");
  expect_refusal("matmul --device-memory 5K --devices host:1", "ballast: --device-memory is 5120; legal is ");
  expect_refusal("matmul --devices teapot", "ballast: --devices is teapot;");
  expect_refusal("hotspot --picture ''", "ballast: --picture is \"\"; legal is the name of a FILE");
}

TEST(cli_job_programs, say_what_there_is_no_memory_for) {
  auto const told = run("hotspot --size 8192 --steps 1 --devices host:1", "ulimit -v 120000; env");
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.out, "");
  EXPECT_EQ(
      told.err,
      "ballast: no memory for 3 arrays of 8192 x 8192 floats (768 MiB) and what they begin with and are "
      "checked by\n");
}

TEST(cli_job_programs, name_the_file_that_cannot_be_written_or_read) {
  test::scratch_folder const folder;
  auto const picture = folder.file("missing/chip.ppm"), power = folder.file("power");
  expect_refusal("hotspot --size 2 --picture " + picture + " --devices host:1",
                 "cannot write " + picture + ": No such file or directory", 1);
  expect_refusal("hotspot --size 2 --power " + power + " --devices host:1",
                 power + ": the file cannot be opened.", 1);
}

}  // namespace
}  // namespace ballast::cli

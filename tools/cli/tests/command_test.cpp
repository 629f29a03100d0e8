// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

TEST(cli_command, prints_its_version) {
  outcome const result = run("--version");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "ballast " BALLAST_VERSION "\n");
}

TEST(cli_command, explains_itself_its_commands_and_its_exit_codes) {
  outcome const result = run("--help");
  EXPECT_EQ(result.code, 0);
  for (char const* const word :
       {"\n  devices ", "\n  compare ", "\n  plot ", "\n  bench ", "\n  connect4 ", "\n  ep ", "\n  hotspot ",
        "\n  matmul ", "\n  md ", "\n  nanodroplet ", "--version", "Exit codes"}) {
    EXPECT_THAT(result.out, HasSubstr(word));
  }
  EXPECT_THAT(run("devices --help").out, HasSubstr("BALLAST_DEVICES"));
}

TEST(cli_command, explains_itself_where_no_command_is_typed) {
  auto const bare = run("");
  EXPECT_EQ(bare.code, 0);
  EXPECT_EQ(bare.err, "");
  EXPECT_EQ(bare.out, run("--help").out);
}

TEST(cli_command, asks_for_the_nearest_command_option_benchmark_policy_or_device) {
  expect_refusal("devicse", "`ballast --help` lists; did you mean devices? (see");
  expect_refusal("hotpsot --size 4", "did you mean hotspot?");
  expect_refusal("devices --calibrat", "not expected: --calibrat; did you mean --calibrate?");
  expect_refusal("md --atom 5", "not expected: --atom 5; did you mean --atoms?");
  expect_refusal("matmul --polcy=even", "not expected: --polcy=even; did you mean --policy?");
  expect_refusal("bench queue/ordre",
                 "list, all, or a name that `ballast bench list` prints; did you mean queue/order?");
  expect_refusal("matmul --size 8 --devices host:1 --policy leanred", "did you mean learned?");
  expect_refusal("md --devices hos:2", "did you mean host:2?");
  expect_refusal("devices --devices gpu:0", "did you mean cuda:0?");
}

TEST(cli_command, refuses_wrong_usage_in_one_sentence_with_code_2) {
  expect_refusal("nonsense", "nonsense");
  expect_refusal("nonsense devices --devices host:1", "nonsense");
  expect_refusal("--nonsense", "--nonsense");
  expect_refusal("devices --nonsense", "--nonsense");
  expect_refusal("devices extra", "extra");
  expect_refusal("devices --devices", "--devices");
}

TEST(cli_command, refuses_devices_that_do_not_exist_or_cannot_be_read) {
  expect_refusal("devices --devices gpu:0", "gpu:0");
  expect_refusal("devices --devices host:0", "host:0");
  expect_refusal("devices --devices cuda:999", "cuda:999");
  for (std::string const command : {"devices", "md"}) {
    expect_refusal(command + " --devices host:1,,host:1",
                   "--devices is \"host:1,,host:1\", whose entry 2 is empty");
    expect_refusal(command + " --devices \"\"", "--devices is \"\"");
  }
}

TEST(cli_command, tells_of_a_variable_that_seems_misspelt_and_goes_on) {
  outcome const result = run("devices --no-links", "env BALLAST_DEVICES=host:1 BALLAST_DEVICE=host:2");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err,
            "ballast: the environment variable BALLAST_DEVICE is not read; did you mean BALLAST_DEVICES?\n");
}

TEST(cli_command, md_refuses_the_name_of_a_file_that_is_empty) {
  for (std::string const option : {"--restart", "--checkpoint", "--trajectory", "--trace", "--record"}) {
    expect_refusal("md --devices host:1 --atoms 10 " + option + " \"\"",
                   option + " is \"\"; legal is the name of a ");
  }
}

TEST(cli_command, refuses_a_wrong_variable_under_the_name_of_the_variable) {
  for (std::string const command : {"devices", "md"}) {
    EXPECT_THAT(run(command, "BALLAST_DEVICES=gpu").err,
                StartsWith("ballast: BALLAST_DEVICES is gpu; legal is"));
    EXPECT_EQ(run(command, "BALLAST_DEVICES=cuda:999").code, 2);
  }
}

TEST(cli_command, names_the_option_as_it_was_typed_when_its_value_is_refused) {
  expect_refusal("md --atoms 10 --temperature 1e300", "ballast: --temperature is 1e+300; legal is 0 to ");
  expect_refusal("md --atoms 10 --cutoff 0", "ballast: --cutoff is 0;");
  expect_refusal("md --atoms 99999999999999",
                 "ballast: --atoms is 99999999999999; legal is a whole number from 1");
}

TEST(cli_command, md_refuses_to_add_frames_to_a_file_that_holds_none) {
  test::scratch_folder const folder;
  auto const notes = folder.file("notes.txt", "my notes\n");
  expect_refusal("md --atoms 10 --trajectory '" + notes + "'", "--trajectory is");
  EXPECT_EQ(contents(notes), "my notes\n");
}

TEST(cli_devices, lists_every_device_and_the_links_between_all_places) {
  outcome const result = run("devices --devices host:1,host:1/2");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("device "));
  for (char const* const word : {"\nhost:1 ", "\nhost:1/2 ", "GB/s", "microseconds"}) {
    EXPECT_THAT(result.out, HasSubstr(word));
  }
}

TEST(cli_devices, prints_one_json_object_on_request) {
  outcome const result = run("devices --json --devices host:1,host:1");
  ASSERT_EQ(result.code, 0) << result.err;
  auto const read = nlohmann::json::parse(result.out);
  ASSERT_EQ(read.at("devices").size(), 2u);
  EXPECT_EQ(read.at("devices").at(1).at("name"), "host:1#1");
  EXPECT_EQ(read.at("devices").at(0).at("backend"), "host");
  EXPECT_EQ(read.at("devices").at(0).at("multiprocessors"), 1);
  auto const& links = read.at("links");
  ASSERT_EQ(links.at("places").size(), 3u);
  for (char const* const figure : {"gigabytes_per_second", "microseconds"}) {
    ASSERT_EQ(links.at(figure).size(), 3u);
    for (auto const& row : links.at(figure)) {
      ASSERT_EQ(row.size(), 3u);
      for (double const value : row) EXPECT_GT(value, 0.0);
    }
  }
}

TEST(cli_devices, measures_nothing_if_told_so) {
  outcome const result = run("devices --json --no-links --devices host:1");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(result.out).at("links").is_null());
}

TEST(cli_devices, takes_the_list_from_the_environment_unless_told_otherwise) {
  auto const first_name = [](outcome const& result) {
    return nlohmann::json::parse(result.out).at("devices").at(0).at("name").get<std::string>();
  };
  EXPECT_EQ(first_name(run("devices --json --no-links", "BALLAST_DEVICES=host:1/3")), "host:1/3");
  EXPECT_EQ(first_name(run("devices --json --no-links --devices host:1", "BALLAST_DEVICES=host:1/3")),
            "host:1");
}

TEST(cli_command, fails_with_code_1_if_its_output_cannot_be_written) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  for (std::string const words :
       {"devices --no-links --devices host:1", "--help", "--version", "md --help"}) {
    std::string const line =
        "'" + (tested_folder() / "ballast").string() + "' " + words + " >/dev/full 2>/dev/null";
    int const status = std::system(line.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << words;
  }
}

TEST(cli_command, names_words_that_it_does_not_expect_in_their_order_and_on_one_line) {
  expect_refusal("md --atom 5", "these arguments were not expected: --atom 5");
  expect_refusal("md --atoms 10 '--a\nb'", "this argument was not expected: --a\\nb");
  expect_refusal("md --atoms '1\n0'", "--atoms is 1\\n0; legal is");
}

TEST(cli_command, md_says_what_there_is_no_memory_for) {
  auto const told = run("md --atoms 2000000 --devices host:1", "ulimit -v 120000; env");
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.out, "");
  EXPECT_EQ(told.err, "ballast: no memory for 2000000 atoms (141.1 MiB)\n");
}

TEST(cli_command, md_tells_what_a_list_of_devices_may_hold) {
  EXPECT_THAT(run("md --help").out, HasSubstr("[@SMS]"));
}

}  // namespace
}  // namespace ballast::cli

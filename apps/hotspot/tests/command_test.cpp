// SPDX-License-Identifier: Apache-2.0
#include "hotspot/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "command_line.hpp"
#include "folder_test.hpp"

namespace ballast::hotspot {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

test::command_line const hotspot("hotspot", &add_command);

using hotspot_command = test::folder_test;

TEST_F(hotspot_command, tells_a_program_a_few_temperatures_and_what_it_took) {
  auto const found = hotspot.answer("--size 64 --steps 1000 --precision double --devices host:1,host:1");
  EXPECT_EQ(found["size"], 64);
  EXPECT_EQ(found["steps"], 1000);
  EXPECT_NEAR(found["sum"], 1270191.578521, 1e-6);
  EXPECT_NEAR(found["first"], 309.2607911757, 1e-10);
  EXPECT_TRUE(found["middle"].is_number());
  EXPECT_TRUE(found["last"].is_number());
  EXPECT_EQ(found["verified"], true);
  EXPECT_EQ(found["stable"], true);
  EXPECT_EQ(found["chip"], 0.016);
  EXPECT_EQ(found["devices"].size(), 2u);
  EXPECT_GE(found["tasks"], 1000);
  EXPECT_GT(found["bytes_moved"], 0);
  EXPECT_GT(found["seconds"], 0);
}

TEST_F(hotspot_command, says_that_rodinias_chip_is_unstable_where_it_is) {
  EXPECT_THAT(hotspot.printed("--size 1400 --steps 1 --chip rodinia --devices host:1"),
              HasSubstr("a chip of 0.0160 m: UNSTABLE, for timing only\n"));
}

TEST_F(hotspot_command, begins_with_files_and_writes_what_it_ends_with) {
  auto const temperature = folder.file("temperature", "80\n80\n80\n80\n"),
             power = folder.file("power", "0\n0\n0\n0\n");
  auto const output = folder.file("output"), picture = folder.file("picture");
  auto const found = hotspot.answer("--size 2 --steps 9 --devices host:1 --temperature " + temperature +
                                    " --power " + power + " --output " + output + " --picture " + picture);
  EXPECT_EQ(found["sum"], 320);
  EXPECT_EQ(test::content_of(output), "0\t80\n1\t80\n2\t80\n3\t80\n");
  EXPECT_EQ(test::content_of(picture), std::string("P6\n2 2\n255\n") + std::string(12, '\0'));
}

TEST_F(hotspot_command, fails_where_the_powers_are_beyond_its_precision) {
  auto const power = folder.file("power", "1e308\n1e308\n1e308\n1e308\n");
  auto const simulate = [&] {
    hotspot.printed("--size 2 --steps 3 --precision single --devices host:1 --power " + power);
  };
  EXPECT_THAT(simulate, testing::ThrowsMessage<error>(
                            HasSubstr("the result is wrong; checked: every cell (4 are no finite numbers)")));
}

TEST_F(hotspot_command, writes_a_trace_of_which_task_and_which_copy_ran_where) {
  auto const trace = folder.file("trace");
  auto const found =
      hotspot.answer("--size 64 --steps 3 --devices host:1,host:1 --policy static --trace " + trace);
  auto const events = nlohmann::json::parse(test::content_of(trace))["traceEvents"];
  auto const spans_with = [&](std::string const& name) {
    return std::ranges::count_if(
        events, [&](auto const& event) { return event["ph"] == "X" && event["args"].value(name, 0) > 0; });
  };
  EXPECT_EQ(spans_with("tasks"), found["tasks"]);
  EXPECT_GT(spans_with("bytes"), 0);
}

TEST_F(hotspot_command, overwrites_neither_what_it_reads_nor_what_it_writes) {
  auto const power = folder.file("power", "0\n0\n0\n0\n"), output = folder.file("output");
  std::string const small = "--size 2 --steps 1 --devices host:1 ";
  EXPECT_THAT(hotspot.refusal(small + "--power " + power + " --trace " + power),
              HasSubstr("another file than " + power + ", which is read"));
  for (std::string const option : {"--picture ", "--trace "})
    EXPECT_THAT(hotspot.refusal(small + "--output " + output + " " + option + output),
                HasSubstr("another file than that of --output"));
  EXPECT_EQ(test::content_of(power), "0\n0\n0\n0\n");
}

TEST_F(hotspot_command, overwrites_nothing_that_it_reads_by_way_of_a_link) {
  auto const heat = folder.file("heat", "80\n80\n80\n80\n"), link = folder.file("link"),
             hard = folder.file("hard");
  std::filesystem::create_symlink(heat, link);
  std::filesystem::create_hard_link(heat, hard);
  for (std::string const option : {"--output", "--picture", "--trace"}) {
    for (auto const& output : {link, hard})
      EXPECT_THAT(hotspot.refusal("--size 2 --steps 1 --devices host:1 --temperature " + heat + " " + option +
                                  " " + output),
                  HasSubstr(option + " is " + output + "; legal is another file than " + heat));
  }
  EXPECT_EQ(test::content_of(heat), "80\n80\n80\n80\n");
}

TEST_F(hotspot_command, finds_out_before_it_reads_anything_that_a_file_cannot_be_written) {
  auto const heat = folder.file("heat"), missing = folder.file("missing/out");
  for (std::string const option : {"--output", "--picture", "--trace"}) {
    auto const simulate = [&] {
      hotspot.printed("--size 2 --temperature " + heat + " --devices host:1 " + option + " " + missing);
    };
    EXPECT_THAT(simulate, testing::ThrowsMessage<error>(
                              HasSubstr("cannot write " + missing + ": No such file or directory")));
  }
}

TEST_F(hotspot_command, tells_people_in_a_few_lines) {
  EXPECT_THAT(hotspot.printed("--size 10 --steps 3 --devices host:1"),
              StartsWith("hotspot, 10 x 10 cells, 3 steps, single precision, a chip of 0.0160 m\nsum "));
}

TEST_F(hotspot_command, refuses_what_is_not_legal) {
  hotspot.expect_refusals({
      {"--size 0", "--size is 0"},
      {"--steps 0", "--steps is 0"},
      {"--chip large", "chip is large; legal is scaled or rodinia"},
      {"--precision half", "precision is half; legal is single or double"},
  });
  auto const missing = folder.file("missing");
  EXPECT_THROW(hotspot.printed("--size 2 --temperature " + missing + " --devices host:1"), error);
}

}  // namespace
}  // namespace ballast::hotspot

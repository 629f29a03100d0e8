// SPDX-License-Identifier: Apache-2.0
#include "hotspot/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "command_line.hpp"
#include "scratch_file.hpp"

namespace ballast::hotspot {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

test::command_line const hotspot("hotspot", &add_command);

TEST(hotspot_command, tells_a_program_a_few_temperatures_and_what_it_took) {
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

TEST(hotspot_command, says_that_rodinias_chip_is_unstable_where_it_is) {
  EXPECT_THAT(hotspot.printed("--size 1400 --steps 1 --chip rodinia --devices host:1"),
              HasSubstr("a chip of 0.0160 m: UNSTABLE, for timing only\n"));
}

TEST(hotspot_command, begins_with_files_and_writes_what_it_ends_with) {
  scratch_file const temperature("temperature", "80\n80\n80\n80\n"), power("power", "0\n0\n0\n0\n");
  scratch_file const output("output"), picture("picture");
  auto const found =
      hotspot.answer("--size 2 --steps 9 --devices host:1 --temperature " + temperature.path() + " --power " +
                     power.path() + " --output " + output.path() + " --picture " + picture.path());
  EXPECT_EQ(found["sum"], 320);
  EXPECT_EQ(output.content(), "0\t80\n1\t80\n2\t80\n3\t80\n");
  EXPECT_EQ(picture.content(), std::string("P6\n2 2\n255\n") + std::string(12, '\0'));
}

TEST(hotspot_command, fails_where_the_powers_are_beyond_its_precision) {
  scratch_file const power("power", "1e308\n1e308\n1e308\n1e308\n");
  auto const simulate = [&] {
    hotspot.printed("--size 2 --steps 3 --precision single --devices host:1 --power " + power.path());
  };
  EXPECT_THAT(simulate, testing::ThrowsMessage<error>(
                            HasSubstr("the result is wrong; checked: every cell (4 are no finite numbers)")));
}

TEST(hotspot_command, writes_a_trace_of_which_task_and_which_copy_ran_where) {
  scratch_file const trace("trace");
  auto const found =
      hotspot.answer("--size 64 --steps 3 --devices host:1,host:1 --policy static --trace " + trace.path());
  auto const events = nlohmann::json::parse(trace.content())["traceEvents"];
  auto const spans_with = [&](std::string const& name) {
    return std::ranges::count_if(
        events, [&](auto const& event) { return event["ph"] == "X" && event["args"].value(name, 0) > 0; });
  };
  EXPECT_EQ(spans_with("tasks"), found["tasks"]);
  EXPECT_GT(spans_with("bytes"), 0);
}

TEST(hotspot_command, overwrites_neither_what_it_reads_nor_what_it_writes) {
  scratch_file const power("power", "0\n0\n0\n0\n"), output("output");
  std::string const small = "--size 2 --steps 1 --devices host:1 ";
  EXPECT_THAT(hotspot.refusal(small + "--power " + power.path() + " --trace " + power.path()),
              HasSubstr("another file than " + power.path() + ", which is read"));
  for (std::string const option : {"--picture ", "--trace "})
    EXPECT_THAT(hotspot.refusal(small + "--output " + output.path() + " " + option + output.path()),
                HasSubstr("another file than that of --output"));
  EXPECT_EQ(power.content(), "0\n0\n0\n0\n");
}

TEST(hotspot_command, overwrites_nothing_that_it_reads_by_way_of_a_link) {
  scratch_file const heat("heat", "80\n80\n80\n80\n"), link("link"), hard("hard");
  std::filesystem::create_symlink(heat.path(), link.path());
  std::filesystem::create_hard_link(heat.path(), hard.path());
  for (std::string const option : {"--output", "--picture", "--trace"}) {
    for (auto const& output : {link.path(), hard.path()}) {
      EXPECT_THAT(hotspot.refusal("--size 2 --steps 1 --devices host:1 --temperature " + heat.path() + " " +
                                  option + " " + output),
                  HasSubstr(option + " is " + output + "; legal is another file than " + heat.path()));
    }
  }
  EXPECT_EQ(heat.content(), "80\n80\n80\n80\n");
}

TEST(hotspot_command, finds_out_before_it_reads_anything_that_a_file_cannot_be_written) {
  test::scratch_folder const folder;
  auto const heat = folder.file("heat"), missing = folder.file("missing/out");
  for (std::string const option : {"--output", "--picture", "--trace"}) {
    auto const simulate = [&] {
      hotspot.printed("--size 2 --temperature " + heat + " --devices host:1 " + option + " " + missing);
    };
    EXPECT_THAT(simulate, testing::ThrowsMessage<error>(
                              HasSubstr("cannot write " + missing + ": No such file or directory")));
  }
}

TEST(hotspot_command, tells_people_in_a_few_lines) {
  EXPECT_THAT(hotspot.printed("--size 10 --steps 3 --devices host:1"),
              StartsWith("hotspot, 10 x 10 cells, 3 steps, single precision, a chip of 0.0160 m\nsum "));
}

TEST(hotspot_command, refuses_what_is_not_legal) {
  EXPECT_THAT(hotspot.refusal("--size 0"), HasSubstr("--size is 0"));
  EXPECT_THAT(hotspot.refusal("--steps 0"), HasSubstr("--steps is 0"));
  EXPECT_THAT(hotspot.refusal("--chip large"), HasSubstr("chip is large; legal is scaled or rodinia"));
  EXPECT_THAT(hotspot.refusal("--precision half"), HasSubstr("precision is half; legal is single or double"));
  scratch_file const missing("missing");
  EXPECT_THROW(hotspot.printed("--size 2 --temperature " + missing.path() + " --devices host:1"), error);
}

}  // namespace
}  // namespace ballast::hotspot

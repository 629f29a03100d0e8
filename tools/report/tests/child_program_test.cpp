// SPDX-License-Identifier: Apache-2.0
#include "report/child_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using ballast::child_program;
using ballast::run_child;
using testing::HasSubstr;
using testing::ThrowsMessage;

child_program shell(std::string const& script) { return {.words = {"sh", "-c", script}}; }

TEST(report_child_program, tells_how_the_program_ended_and_what_it_printed) {
  auto asked = shell("cat; echo complaint >&2; exit 3");
  asked.input = "input";
  auto const end = run_child(asked);
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.output, "input");
  EXPECT_EQ(end.complaints, "complaint\n");
}

TEST(report_child_program, is_left_alone_within_its_limits) {
  auto asked = shell("sleep 0.1; echo done; exit 4");
  asked.limits = {10min, 1000};
  auto const end = run_child(asked);
  EXPECT_EQ(end.code, 4);
  EXPECT_EQ(end.output, "done\n");
}

TEST(report_child_program, is_killed_once_its_time_is_over) {
  auto asked = shell("exec sleep 1000000");
  asked.limits = {1s, 1000};
  EXPECT_THAT([&] { run_child(asked); }, ThrowsMessage<ballast::error>("sh did not end within 1 s"));
}

TEST(report_child_program, is_killed_once_it_has_printed_too_much) {
  for (std::string const script : {"exec yes", "exec yes >&2", "yes | head -n 1000"}) {
    auto asked = shell(script);
    asked.limits = {10min, 1000};
    EXPECT_THAT([&] { run_child(asked); }, ThrowsMessage<ballast::error>("sh printed more than 1000 bytes"));
  }
}

TEST(report_child_program, that_is_not_there_is_named) {
  EXPECT_THAT([] { run_child({.words = {"no-such-program-here"}}); },
              ThrowsMessage<ballast::no_such_program>(HasSubstr("no-such-program-here")));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "matmul/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "command_line.hpp"

namespace ballast::matmul {
namespace {

using testing::HasSubstr;

test::command_line const matmul("matmul", &add_command);

TEST(matmul_command, tells_a_program_what_the_paper_asks_for) {
  auto const found = matmul.answer("--size 100 --devices host:1,host:1 --policy static");
  EXPECT_EQ(found["size"], 100);
  EXPECT_EQ(found["kernel"], "naive");
  EXPECT_EQ(found["devices"].size(), 2u);
  EXPECT_EQ(found["policy"], "static");
  EXPECT_EQ(found["tasks"], 2);
  EXPECT_EQ(found["verified"], true);
  EXPECT_GT(found["seconds"], 0);
  EXPECT_EQ(found["bytes_moved"], 4 * (100 * 100 + 2 * 100 * 100 + 100 * 100));
}

TEST(matmul_command, repeats_with_the_tiled_kernel) {
  auto const found = matmul.answer("--size 150 --kernel tiled --repeat 3 --devices host:1");
  EXPECT_EQ(found["repetitions"], 3);
  EXPECT_EQ(found["runs"].size(), 3u);
  EXPECT_EQ(found["verified"], true);
}

TEST(matmul_command, works_within_a_limit_of_memory) {
  auto const found = matmul.answer("--size 200 --device-memory 250K --devices host:1");
  EXPECT_EQ(found["verified"], true);
  EXPECT_GT(found["tasks"], 1);
  EXPECT_THAT(matmul.refusal("--size 200 --device-memory 5K --devices host:1"),
              HasSubstr("device-memory is 5120; legal is at least "));
  EXPECT_THAT(matmul.refusal("--device-memory few"), HasSubstr("--device-memory is few; legal is bytes"));
}

TEST(matmul_command, checks_access_maps) {
  EXPECT_EQ(matmul.answer("--size 60 --check-maps --devices host:1,host:1")["verified"], true);
}

TEST(matmul_command, reuses_what_devices_have_unless_told_otherwise) {
  std::string const how = "--size 64 --devices host:1 ";
  EXPECT_EQ(matmul.answer(how)["reuse"], true);
  EXPECT_EQ(matmul.answer(how + "--reuse")["reuse"], true);
  auto const forgetful = matmul.answer(how + "--no-reuse --policy master_worker --tasks 4");
  EXPECT_EQ(forgetful["reuse"], false);
  EXPECT_EQ(forgetful["verified"], true);
  EXPECT_GE(forgetful["bytes_moved_by_direction"]["from_host"], 4 * (64 * 64 + 64 * 64));
}

TEST(matmul_command, tells_people_in_a_few_lines) {
  EXPECT_THAT(matmul.printed("--size 20 --devices host:1"),
              HasSubstr("product of int32 matrices, 20 x 20, kernel naive\n"));
}

TEST(matmul_command, begins_no_task_when_it_is_stopped_before) {
  EXPECT_THAT([] { matmul.printed("--size 20 --repeat 5 --devices host:1", true); },
              testing::ThrowsMessage<error>("stopped after 0 tasks"));
}

TEST(matmul_command, tells_of_right_whole_repetitions_alone_wherever_it_is_stopped) {
  std::size_t whole = 0;
  for (int often = 0; whole < 3; ++often) {
    std::atomic<int> asked = 0;
    try {
      auto const done = run(open_devices("host:1"), {{40, 40, 40}, product_kernel::naive, {}, 3},
                            [&] { return ++asked > often; });
      whole = done.runs.size();
      EXPECT_GE(whole, 1u);
      EXPECT_TRUE(done.found.is_right) << "asked " << often << " times";
    } catch (error const& none) { EXPECT_THAT(none.what(), testing::StartsWith("stopped after ")); }
  }
}

TEST(matmul_command, refuses_what_is_not_legal) {
  matmul.expect_refusals({
      {"--size 0", "--size is 0; legal is a whole number from 1 to 32768"},
      {"--kernel fast", "kernel is fast; legal is naive or tiled"},
      {"--policy luck --devices host:1", "policy is luck; legal is "},
      {"--tasks 0", "--tasks is 0"},
      {"--repeat x", "--repeat is x"},
      {"--devices teapot", "devices is teapot"},
  });
}

}  // namespace
}  // namespace ballast::matmul

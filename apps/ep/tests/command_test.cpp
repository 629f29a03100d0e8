// SPDX-License-Identifier: Apache-2.0
#include "ep/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.hpp"
#include "sanitized.hpp"

namespace ballast::ep {
namespace {

using testing::HasSubstr;

test::command_line const ep("ep", &add_command);

TEST(ep_command, tells_a_program_sums_counts_and_whether_they_are_right) {
  if (test::sanitized) GTEST_SKIP() << "16 million pairs take too long with a sanitizer";
  auto const found = ep.answer("--class S --devices host:1,host:1");
  EXPECT_EQ(found["class"], "S");
  EXPECT_NEAR(found["sx"], -3.247834652034740e3, 1e-8 * 3.2e3);
  EXPECT_NEAR(found["sy"], -6.958407078382297e3, 1e-8 * 6.9e3);
  EXPECT_EQ(found["pairs"], 13176389);
  EXPECT_EQ(found["counts"], nlohmann::json({6140517, 5865300, 1100361, 68546, 1648, 17, 0, 0, 0, 0}));
  EXPECT_EQ(found["verified"], true);
  EXPECT_EQ(found["devices"].size(), 2u);
  EXPECT_GT(found["seconds"], 0);
  EXPECT_GE(found["tasks"], 1);
  EXPECT_EQ(found["bytes_moved"], (1 << 16) / 128 * (2 * 8 + 10 * 4));
}

TEST(ep_command, tells_people_the_same) {
  if (test::sanitized) GTEST_SKIP() << "16 million pairs take too long with a sanitizer";
  auto const text = ep.printed("--devices host:1,host:1 --policy master_worker");
  EXPECT_THAT(text, HasSubstr("ep, class S: 2^24 pairs, accepted 13176389\nsums -3247.83465203"));
  EXPECT_THAT(text, HasSubstr("\ncounts 6140517 5865300 1100361 68546 1648 17 0 0 0 0\n"));
  EXPECT_THAT(text, HasSubstr("\nright: "));
}

TEST(ep_command, refuses_what_is_not_legal) {
  ep.expect_refusals({
      {"--class Z", "class is Z; legal is S, W, A, B, C, D or E"},
      {"--policy luck --devices host:1", "policy is luck; legal is "},
      {"--repeat 0", "--repeat is 0"},
  });
}

}  // namespace
}  // namespace ballast::ep

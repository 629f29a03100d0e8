// SPDX-License-Identifier: Apache-2.0
#include "ballast/deadline.hpp"

#include <gtest/gtest.h>

namespace ballast {
namespace {

TEST(base_deadline, has_passed_when_its_time_lies_in_the_past) {
  EXPECT_TRUE(deadline::in(std::chrono::seconds(-1)).passed());
  EXPECT_TRUE(deadline::in(std::chrono::seconds(0)).passed());
}

TEST(base_deadline, has_not_passed_when_its_time_lies_ahead) {
  EXPECT_FALSE(deadline::in(std::chrono::hours(1)).passed());
}

TEST(base_deadline, lies_the_stated_timeout_after_now) {
  auto const before = clock::now();
  auto const at = deadline::in(std::chrono::minutes(3)).at();
  EXPECT_GE(at, before + std::chrono::minutes(3));
  EXPECT_LE(at, clock::now() + std::chrono::minutes(3));
}

TEST(base_deadline, never_passes_when_the_timeout_exceeds_a_century) {
  EXPECT_EQ(deadline::in(clock::duration::max()).at(), deadline::never().at());
  EXPECT_FALSE(deadline::in(clock::duration::max()).passed());
}

TEST(base_deadline, never_passes_when_it_is_never) { EXPECT_FALSE(deadline::never().passed()); }

}  // namespace
}  // namespace ballast

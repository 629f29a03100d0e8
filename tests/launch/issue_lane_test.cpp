// SPDX-License-Identifier: Apache-2.0
#include "issue_lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "fixture.hpp"

namespace ballast::test {
namespace {

/// A lane in which nothing runs and which therefore reads no record.
class issue_lane_test : public testing::Test {
 protected:
  std::atomic<std::uint32_t> in_flight_ = 0;
  issue_lane lane_{devices().front()->make_stream(), nullptr, nullptr, nullptr, in_flight_};

  launch_in_flight& issue(bool tells, bool tells_each = false) {
    auto& next = lane_.next();
    next.clear();
    next.tells = tells;
    next.tells_each = tells_each;
    lane_.note_issued();
    return next;
  }
};

TEST_F(issue_lane_test, gives_a_sign_to_the_newest_launch_once_and_only_if_it_tells_no_end) {
  auto const& silent = issue(false);
  lane_.sign();
  auto const* const sign = silent.behind.get();
  EXPECT_NE(sign, nullptr);
  lane_.sign();
  EXPECT_EQ(silent.behind.get(), sign);
  auto const& telling = issue(true);
  lane_.sign();
  EXPECT_EQ(telling.behind, nullptr);
}

TEST_F(issue_lane_test, names_the_oldest_launch_in_flight_if_that_tells_the_ends_of_its_kernels) {
  EXPECT_EQ(lane_.oldest_telling_each(), nullptr);
  auto const& each = issue(true, true);
  issue(true);
  EXPECT_EQ(lane_.oldest_telling_each(), &each);
  lane_.note_ended();
  EXPECT_EQ(lane_.oldest_telling_each(), nullptr);
}

}  // namespace
}  // namespace ballast::test

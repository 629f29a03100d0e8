// SPDX-License-Identifier: Apache-2.0
#include "ballast/device/doorbell.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ballast::test {
namespace {

TEST(doorbell, does_not_sleep_if_it_rang_since_it_was_looked_at) {
  doorbell bell;
  auto const seen = bell.rings();
  bell.ring();
  EXPECT_TRUE(bell.wait_past(seen, clock::time_point::max()));
}

TEST(doorbell, gives_up_at_the_deadline_when_nobody_rings) {
  doorbell bell;
  EXPECT_FALSE(bell.wait_past(bell.rings(), clock::now() + std::chrono::milliseconds(1)));
}

TEST(doorbell, never_misses_a_ring_between_two_threads) {
  doorbell there, back;
  int const rounds = 2000;
  std::jthread other([&] {
    for (std::uint64_t seen = 0; seen < rounds;) {
      ASSERT_TRUE(there.wait_past(seen, clock::now() + std::chrono::minutes(1)));
      seen = there.rings();
      back.ring();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    auto const seen = back.rings();
    there.ring();
    ASSERT_TRUE(back.wait_past(seen, clock::now() + std::chrono::minutes(1)));
  }
}

}  // namespace
}  // namespace ballast::test

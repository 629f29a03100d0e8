// SPDX-License-Identifier: Apache-2.0
#include "ballast/stream.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "jumping_clock.hpp"

namespace ballast::test {
namespace {

TEST(event_count, does_not_sleep_if_it_was_notified_since_its_epoch_was_read) {
  event_count wake_event;
  auto const seen = wake_event.epoch();
  wake_event.notify();
  EXPECT_TRUE(wake_event.wait_past(seen, clock::time_point::max()));
}

TEST(event_count, gives_up_at_the_deadline_when_nobody_notifies) {
  event_count wake_event;
  EXPECT_FALSE(wake_event.wait_past(wake_event.epoch(), clock::now() + std::chrono::milliseconds(1)));
}

TEST(event_count, never_misses_a_notification_between_two_threads) {
  event_count there, back;
  int const rounds = 2000;
  std::jthread other([&] {
    for (std::uint64_t seen = 0; seen < rounds;) {
      ASSERT_TRUE(there.wait_past(seen, clock::now() + std::chrono::minutes(1)));
      seen = there.epoch();
      back.notify();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    auto const seen = back.epoch();
    there.notify();
    ASSERT_TRUE(back.wait_past(seen, clock::now() + std::chrono::minutes(1)));
  }
}

TEST(event_count, is_waited_for_on_after_the_process_slept_beyond_the_deadline) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  event_count wake_event;
  bool is_notified = false;
  wait_through_a_sleep(
      3,
      [&] { is_notified = wake_event.wait_past(wake_event.epoch(), deadline::in(std::chrono::minutes(1))); },
      [&] { wake_event.notify(); });
  EXPECT_TRUE(is_notified);
  wait_through_a_sleep(
      3,
      [&] {
        is_notified =
            wake_event.spin_then_wait_past(wake_event.epoch(), deadline::in(std::chrono::minutes(1)));
      },
      [&] { wake_event.notify(); });
  EXPECT_TRUE(is_notified);
}

}  // namespace
}  // namespace ballast::test

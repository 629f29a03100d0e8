// SPDX-License-Identifier: Apache-2.0
#include "ballast/deadline.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "ballast/detail/base/event_count.hpp"

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

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// An invented clock.
clock::time_point at(clock::duration time) { return clock::time_point(hours(100) + time); }

TEST(base_slept_time, does_not_grow_while_waits_look_often) {
  detail::slept_time slept;
  for (int second = 0; second < 100; ++second)
    slept.look(at(seconds(second)), at(seconds(second + 1)), seconds(2));
  EXPECT_EQ(slept.total(), clock::duration(0));
}

TEST(base_slept_time, grows_by_what_no_wait_should_have_been_without_a_look) {
  detail::slept_time slept;
  slept.look(at(seconds(1)), at(hours(1)), seconds(2));
  EXPECT_EQ(slept.total(), hours(1) - seconds(3));
}

TEST(base_slept_time, counts_a_sleep_once_however_many_waits_notice) {
  detail::slept_time slept;
  for (int wait = 0; wait < 5; ++wait)
    slept.look(at(seconds(1)), at(hours(1) + milliseconds(wait)), seconds(2));
  EXPECT_EQ(slept.total(), hours(1) - seconds(3));
}

TEST(base_slept_time, does_not_grow_by_a_wait_that_is_slow_while_others_look) {
  detail::slept_time slept;
  for (int second = 0; second < 100; ++second)
    slept.look(at(seconds(second)), at(seconds(second + 1)), seconds(2));
  slept.look(at(seconds(1)), at(seconds(101)), seconds(2));
  EXPECT_EQ(slept.total(), clock::duration(0));
}

TEST(base_slept_time, lets_a_wait_whose_every_look_is_slow_come_to_its_deadline) {
  detail::slept_time slept;
  clock::duration const timeout = seconds(10), look = hours(1), longest = timeout / 2;
  auto now = at(seconds(0));
  for (int looks = 0; looks < 2; ++looks, now += look) slept.look(now, now + look, longest);
  EXPECT_GE(now - slept.total(), at(timeout));
}

TEST(base_deadline, passes_for_a_wait_that_begins_after_it) {
  wait_limit limit(deadline::in(seconds(-1)));
  EXPECT_TRUE(limit.passed());
}

/// A wait that went on would hear of the third time it asks.
TEST(base_deadline, ends_a_wait_for_what_has_not_come_and_not_one_for_what_has) {
  std::condition_variable changed;
  std::mutex mutex;
  std::unique_lock hold(mutex);
  auto const over = deadline::in(seconds(-1));
  int asked = 0;
  EXPECT_FALSE(detail::wait_until(changed, hold, over, [&] { return ++asked == 3; }));
  EXPECT_TRUE(detail::wait_until(changed, hold, over, [] { return true; }));
}

TEST(base_deadline, asks_a_wait_to_look_before_it_passes) {
  auto const until = deadline::in(hours(1));
  wait_limit limit(until);
  EXPECT_FALSE(limit.passed());
  EXPECT_LT(limit.next_look(), until.at());
  EXPECT_EQ(wait_limit(deadline::never()).next_look(), clock::time_point::max());
}

}  // namespace
}  // namespace ballast

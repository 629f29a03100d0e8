// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include "cluster_message.hpp"

namespace ballast::test {
namespace {

using kind = detail::cluster_message::kind;

constexpr std::int64_t guess_ns = 20'000;

TEST(round_trip, is_from_a_question_to_a_gift_or_to_a_decline) {
  for (auto const answer : {kind::give, kind::decline}) {
    detail::round_trip trip;
    EXPECT_EQ(trip.ns(), guess_ns);
    trip.note_sent(1, kind::ask, 1'000'000);
    trip.note_received(1, answer, 1'300'000);
    EXPECT_EQ(trip.ns(), 300'000);
  }
}

TEST(round_trip, is_not_what_messages_take_that_are_no_answer) {
  for (auto const what : {kind::ask, kind::withdraw, kind::done, kind::returned, kind::perhaps, kind::stop,
                          kind::finished, kind::end, kind::lost, kind::census}) {
    detail::round_trip trip;
    trip.note_sent(1, kind::ask, 1000);
    trip.note_received(1, what, 2000);
    EXPECT_EQ(trip.ns(), guess_ns) << int(what);
    trip.note_received(1, kind::decline, 51'000);
    EXPECT_EQ(trip.ns(), 50'000) << int(what);
    trip.note_sent(2, what, 60'000);
    trip.note_received(2, kind::give, 60'001);
    EXPECT_EQ(trip.ns(), what == kind::ask ? 1 : 50'000) << int(what);
  }
}

TEST(round_trip, is_the_shortest_so_far_and_each_question_has_one_answer) {
  detail::round_trip trip;
  trip.note_sent(1, kind::ask, 0);
  trip.note_sent(2, kind::ask, 0);
  trip.note_received(1, kind::give, 40'000);
  trip.note_received(1, kind::give, 40'001);  // the rest of the gift
  trip.note_received(2, kind::decline, 70'000);
  EXPECT_EQ(trip.ns(), 40'000);
  trip.note_sent(1, kind::ask, 100'000);
  trip.note_received(3, kind::give, 100'001);  // unasked
  trip.note_received(1, kind::decline, 130'000);
  EXPECT_EQ(trip.ns(), 30'000);
}

}  // namespace
}  // namespace ballast::test

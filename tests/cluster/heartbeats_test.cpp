// SPDX-License-Identifier: Apache-2.0
#include "heartbeats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t interval = 10, lost_after = 100;

heartbeats of_rank(std::uint32_t rank, std::uint32_t ranks) { return {rank, ranks, interval, lost_after, 0}; }

TEST(heartbeats, are_sent_to_neighbours_of_the_ring_and_across_each_bit) {
  EXPECT_THAT(of_rank(0, 1).due(interval), IsEmpty());
  EXPECT_THAT(of_rank(1, 2).due(interval), ElementsAre(0));
  EXPECT_THAT(of_rank(0, 8).due(interval), ElementsAre(1, 2, 4, 7));
  EXPECT_THAT(of_rank(5, 6).due(interval), ElementsAre(0, 1, 4));
}

TEST(heartbeats, are_not_due_before_their_time_nor_where_something_was_sent) {
  auto beats = of_rank(0, 8);
  EXPECT_THAT(beats.due(interval - 1), IsEmpty());
  beats.sent(2, 5);
  EXPECT_THAT(beats.due(interval), ElementsAre(1, 4, 7));
  EXPECT_THAT(beats.due(5 + interval), Contains(2));
}

TEST(heartbeats, are_watched_by_those_to_whom_they_are_sent) {
  for (std::uint32_t ranks = 1; ranks < 20; ++ranks) {
    std::vector<heartbeats> all;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) all.push_back(of_rank(rank, ranks));
    // Any ranks may be gone, as long as the others know.
    for (std::uint32_t gone = 0; gone < ranks; gone += 3)
      for (auto& beats : all) beats.drop(gone, 0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (rank % 3 == 0) continue;
      for (auto const other : all[rank].due(interval))
        EXPECT_THAT(all[other].due(interval), Contains(rank)) << rank << " and " << other << " of " << ranks;
    }
  }
}

TEST(heartbeats, watch_on_around_ranks_that_are_gone_so_that_none_is_unwatched) {
  auto beats = of_rank(0, 8);
  for (std::uint32_t const gone : {1u, 2u, 4u, 7u}) beats.drop(gone, 0);
  EXPECT_THAT(beats.due(interval), ElementsAre(3, 6));
  for (std::uint32_t const gone : {3u, 5u, 6u}) beats.drop(gone, 0);
  EXPECT_THAT(beats.due(interval), IsEmpty());
}

TEST(heartbeats, take_a_rank_for_lost_that_has_said_nothing_for_too_long) {
  auto beats = of_rank(0, 4);
  for (std::int64_t now = 0; now <= lost_after; now += interval) {
    beats.heard(1, now);
    beats.heard(3, now);
    EXPECT_THAT(beats.silent(now), IsEmpty()) << now;
  }
  EXPECT_THAT(beats.silent(lost_after + 1), ElementsAre(2));
}

TEST(heartbeats, give_a_rank_that_is_watched_from_now_on_its_full_time) {
  auto beats = of_rank(0, 8);
  for (std::int64_t now = 0; now < 90; now += interval) {
    for (std::uint32_t const rank : {1u, 2u, 4u, 7u}) beats.heard(rank, now);
    EXPECT_THAT(beats.silent(now), IsEmpty());
  }
  beats.drop(7, 90);  // 6 takes its place, of which nothing was ever heard
  for (std::int64_t now = 90; now <= 190; now += interval) {
    for (std::uint32_t const rank : {1u, 2u, 4u}) beats.heard(rank, now);
    EXPECT_THAT(beats.silent(now), IsEmpty()) << now;
  }
  EXPECT_THAT(beats.silent(191), ElementsAre(6));
}

TEST(heartbeats, blame_nobody_for_the_time_that_the_rank_itself_has_slept) {
  auto beats = of_rank(0, 4);
  EXPECT_THAT(beats.silent(10), IsEmpty());
  EXPECT_THAT(beats.silent(10 + 10 * lost_after), IsEmpty());
  EXPECT_THAT(beats.silent(20 + 10 * lost_after), IsEmpty());
}

TEST(heartbeats, forget_the_time_before_anything_was_open) {
  auto beats = of_rank(0, 4);
  beats.begin(5000);
  EXPECT_THAT(beats.silent(5000 + lost_after / 2), IsEmpty());
  EXPECT_THAT(beats.silent(5000 + lost_after), IsEmpty());
  EXPECT_THAT(beats.silent(5001 + lost_after), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "ranks/job_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ballast::test::rank_shares_test {
using namespace detail;
namespace {

using testing::ElementsAre;

job_site site_number(std::uint64_t number) { return {number, 8, 1, 1, 0, "learned", {}}; }

std::vector<std::uint64_t> counts(rank_shares const& shares, job_site const& site, std::uint64_t units,
                                  std::uint32_t ranks) {
  std::vector<std::uint64_t> all;
  std::uint64_t end = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto const part = shares.part(site, units, rank);
    EXPECT_EQ(part.begin, end) << "rank " << rank << " does not begin where the one before ends";
    end = part.end;
    all.push_back(part.end - part.begin);
  }
  EXPECT_EQ(end, units);
  return all;
}

TEST(rank_shares, are_even_before_anything_is_known) {
  rank_shares const shares(3);
  EXPECT_THAT(counts(shares, site_number(1), 10, 3), ElementsAre(4, 3, 3));
  EXPECT_THAT(counts(shares, site_number(1), 2, 3), ElementsAre(1, 1, 0));
  EXPECT_THAT(counts(shares, site_number(1), 0, 3), ElementsAre(0, 0, 0));
}

TEST(rank_shares, follow_the_speed_of_the_ranks_for_that_site_alone) {
  rank_shares shares(3);
  shares.learn(site_number(1), std::vector<rank_time>{{100, 1000}, {100, 2000}, {100, 4000}});
  EXPECT_THAT(counts(shares, site_number(1), 700, 3), ElementsAre(400, 200, 100));
  EXPECT_THAT(counts(shares, site_number(2), 300, 3), ElementsAre(100, 100, 100));
}

TEST(rank_shares, stay_for_less_than_three_percent) {
  rank_shares shares(2);
  shares.learn(site_number(1), std::vector<rank_time>{{100, 1000}, {100, 1050}});
  EXPECT_THAT(counts(shares, site_number(1), 200, 2), ElementsAre(100, 100));
  shares.learn(site_number(1), std::vector<rank_time>{{100, 1000}, {100, 1100}});
  EXPECT_THAT(counts(shares, site_number(1), 210, 2), ElementsAre(109, 101));
}

TEST(rank_shares, stay_if_a_rank_had_no_units_or_no_time) {
  rank_shares shares(2);
  shares.learn(site_number(1), std::vector<rank_time>{{100, 1000}, {0, 0}});
  shares.learn(site_number(1), std::vector<rank_time>{{100, 1000}, {100, 0}});
  EXPECT_THAT(counts(shares, site_number(1), 200, 2), ElementsAre(100, 100));
}

TEST(rank_shares, hold_for_as_many_units_as_a_job_can_have) {
  rank_shares shares(2);
  shares.learn(site_number(1), std::vector<rank_time>{{4'294'967'295, 1}, {4'294'967'295, 3}});
  EXPECT_THAT(counts(shares, site_number(1), 4'294'967'295, 2), ElementsAre(3'221'225'471, 1'073'741'824));
}

TEST(rank_shares, are_due_before_the_third_fifth_ninth_job_of_a_site) {
  rank_shares shares(2);
  std::vector<int> due;
  for (int job = 1; job <= 40; ++job) {
    if (shares.is_due(site_number(1))) due.push_back(job);
    shares.count(site_number(1));
  }
  EXPECT_THAT(due, ElementsAre(3, 5, 9, 17, 33));
  EXPECT_FALSE(shares.is_due(site_number(2)));
}

}  // namespace
}  // namespace ballast::test::rank_shares_test

// SPDX-License-Identifier: Apache-2.0
// What every order policy must keep, whichever the key among candidates.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "invented_launch_streams.hpp"
#include "is_deep_run.hpp"
#include "names_of.hpp"

namespace ballast::test {
namespace {

/// Launch streams with 1 to 7 launches of different lengths and priorities. `pause` lies between two
/// submissions: 0 is a burst, and above the lengths a trickle.
std::vector<submission> unlike_launches(std::uint32_t launch_streams, std::int64_t pause) {
  std::vector<submission> all;
  for (std::uint32_t round = 0; round < 7; ++round)
    for (std::uint32_t launch_stream = 0; launch_stream < launch_streams; ++launch_stream) {
      if (round > launch_stream % 7) continue;
      auto const place = std::int64_t(all.size());
      all.push_back({launch_stream, 1 + place * 31 % 17, place * pause, std::int32_t(place * 13 % 5) - 2});
    }
  return all;
}

/// Each launch stream's launches by number, each once, none before its predecessor has ended.
void expect_each_once_and_in_order(std::vector<submission> const& submissions,
                                   std::vector<invented_run> runs) {
  std::map<std::uint32_t, std::size_t> submitted, seen;
  std::map<std::uint32_t, std::int64_t> ended;
  for (auto const& each : submissions) ++submitted[each.launch_stream];
  std::ranges::stable_sort(runs, {}, &invented_run::begin);
  for (auto const& run : runs) {
    auto const launch_stream = run.kernel.launch_stream;
    ASSERT_EQ(run.kernel.number, seen[launch_stream]++) << "of launch stream " << launch_stream;
    ASSERT_GE(run.begin, ended[launch_stream]) << "of launch stream " << launch_stream;
    ended[launch_stream] = run.end;
  }
  EXPECT_EQ(seen, submitted);
}

class every_order : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::unique_ptr<order_policy> policy() const {
    return make_order_policy(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }

  void expect_order_kept(std::uint32_t launch_streams, std::int64_t pause, invented_gpu const& gpu) const {
    auto const submissions = unlike_launches(launch_streams, pause);
    auto const decides = policy();
    expect_each_once_and_in_order(submissions, invented_launch_streams(submissions, gpu).play(*decides));
  }
};
INSTANTIATE_TEST_SUITE_P(order_policies, every_order,
                         testing::Combine(testing::ValuesIn(names_of(order_policies())),
                                          testing::ValuesIn(names_of(order_keys()))),
                         [](auto const& each) {
                           return std::get<0>(each.param) + "_" + std::get<1>(each.param);
                         });

TEST_P(every_order, issues_each_launch_once_and_keeps_each_launch_streams_order) {
  for (std::uint32_t const launch_streams : {1, 2, 3, 16, 17, 64, 256}) {
    if (launch_streams > 64 && !is_deep_run()) break;
    for (std::int64_t const pause : {0, 1, 40})
      for (std::size_t const queues : {1, 8, 32}) {
        SCOPED_TRACE(testing::Message()
                     << launch_streams << " launch streams, " << pause << " apart, " << queues);
        expect_order_kept(launch_streams, pause, invented_gpu(queues, 16, 32));
      }
  }
}

TEST_P(every_order, serves_far_more_launch_streams_than_streams) {
  expect_order_kept(400, 0, invented_gpu(4, 132, 32));
  expect_order_kept(100, 0, invented_gpu(1, 132, 1));
}

TEST_P(every_order, decides_nothing_while_nothing_waits) {
  std::vector<std::uint32_t> const idle(4);
  EXPECT_FALSE(policy()->decide({{}, idle}));
}

TEST_P(every_order, decides_the_same_for_the_same_views) {
  auto const submissions = unlike_launches(64, 1);
  auto const streams_of_runs = [&] {
    auto const decides = policy();
    std::vector<std::pair<std::uint32_t, std::int64_t>> all;
    for (auto const& run : invented_launch_streams(submissions, {8, 16, 32}).play(*decides))
      all.emplace_back(run.stream, run.begin);
    return all;
  };
  EXPECT_EQ(streams_of_runs(), streams_of_runs());
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
// How near to the best each policy comes on devices of unequal speed: the paper's pairs, without its noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "invented_programs.hpp"

namespace ballast::test {
namespace {

constexpr int runs_to_learn = 4;

/// The mean of runs 5 to 8.
double later_time(invented_devices const& devices, std::string const& policy, std::uint32_t tasks = 8) {
  auto const times = run_times(devices, policy, 8, tasks);
  return std::accumulate(times.begin() + runs_to_learn, times.end(), 0.0) /
         double(times.size() - runs_to_learn);
}

/// Of all policies but the default one, over all numbers of tasks.
double best_time_of_the_sweep(invented_devices const& devices) {
  auto best = std::min(
      {later_time(devices, "static"), later_time(devices, "weighted"), later_time(devices, "guided")});
  for (std::uint32_t tasks = 1; tasks <= 1024; tasks *= 2)
    best = std::min({best, later_time(devices, "master_worker", tasks), later_time(devices, "fixed", tasks)});
  return best;
}

invented_devices pair_of(double slower) { return devices_for({"even work", {1024}, {100e3}}, {1, slower}); }

TEST(split_quality, static_halves_take_as_long_as_the_slower_device_for_its_half) {
  EXPECT_NEAR(later_time(pair_of(1.63), "static"), 512 * 163e3, 10e3);
}

TEST(split_quality, policies_that_balance_come_within_a_twentieth_of_the_ideal) {
  for (double const slower : {1.0, 1.25, 1.63, 4.5}) {
    auto const ideal = 1024 * 100e3 * slower / (1 + slower);  // T1 T2 / (T1 + T2)
    for (auto const* policy : {"guided", "weighted", "learned"})
      EXPECT_LE(later_time(pair_of(slower), policy), 1.05 * ideal) << policy << " at " << slower;
    for (auto const* policy : {"master_worker", "fixed"})
      EXPECT_LE(later_time(pair_of(slower), policy, 256), 1.05 * ideal) << policy << " at " << slower;
  }
}

TEST(split_quality, the_default_beats_static_halves_by_what_the_ratio_of_speeds_allows) {
  for (auto const& [slower, most] : {std::pair(1.63, 0.8), {4.5, 0.383}, {1.25, 0.92}})
    EXPECT_LE(later_time(pair_of(slower), "learned"), most * later_time(pair_of(slower), "static")) << slower;
}

class every_program : public testing::TestWithParam<std::size_t> {
 protected:
  invented_program program() const { return invented_programs()[GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(split_quality, every_program,
                         testing::Range(std::size_t{0}, invented_programs().size()), [](auto const& each) {
                           auto name = invented_programs()[each.param].name;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST_P(every_program, takes_by_default_at_most_a_twentieth_more_than_the_best_of_the_sweep_from_run_5_on) {
  for (auto const& speeds : invented_device_sets()) {
    auto const devices = devices_for(program(), speeds);
    auto const best = best_time_of_the_sweep(devices);
    auto const times = run_times(devices, "learned", 12);
    for (std::size_t run = runs_to_learn; run < times.size(); ++run)
      EXPECT_LE(times[run], 1.05 * best) << "run " << run + 1 << " on " << testing::PrintToString(speeds);
  }
}

}  // namespace
}  // namespace ballast::test

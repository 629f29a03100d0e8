// SPDX-License-Identifier: Apache-2.0
#include "split/work_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ballast::test {
using namespace detail;
namespace {

/// A run of parts that a device takes one after another, each of them as long as `unit_ns(unit)` adds up to.
class timed_run {
 public:
  explicit timed_run(std::size_t devices) : run_{std::vector<device_run>(devices), {}, true} {}

  template <class UnitNs>
  timed_run& part(std::size_t device, job_part part, UnitNs const& unit_ns) {
    double ns = 0;
    for (auto unit = part.first; unit < part.first + part.count; ++unit) ns += unit_ns(unit);
    auto const begin = run_.devices[device].end_ns;
    run_.devices[device].add({.part = part, .begin_ns = begin, .end_ns = begin + std::llround(ns)});
    return *this;
  }

  finished_job const& job() const { return run_; }

 private:
  finished_job run_;
};

double like_all(std::uint32_t) { return 1000; }
double longer_and_longer(std::uint32_t unit) { return 10.0 * unit; }
double half_as_long(std::uint32_t unit) { return longer_and_longer(unit) / 2; }

/// Ranges of 400 units, each in sections of 50.
template <class Even, class Odd>
timed_run in_sections(Even const& first_ns, Odd const& second_ns) {
  timed_run run(2);
  for (std::uint32_t unit = 0; unit < 400; unit += 50) run.part(0, {unit, 50}, first_ns);
  for (std::uint32_t unit = 400; unit < 800; unit += 50) run.part(1, {unit, 50}, second_ns);
  return run;
}

TEST(work_profile, takes_all_units_and_devices_for_equal_at_first) {
  EXPECT_EQ(work_profile(1000, 4).shares(), (std::vector<std::uint32_t>{250, 250, 250, 250}));
  EXPECT_EQ(work_profile(3, 4).shares().size(), 4u);
}

TEST(work_profile, takes_what_all_parts_of_a_device_took_more_for_its_speed) {
  work_profile profile(800, 2);
  profile.learn_speeds(in_sections(like_all, [](std::uint32_t) { return 3000.0; }).job());
  EXPECT_NEAR(profile.shares()[0], 600, 1);
}

TEST(work_profile, cuts_where_both_halves_have_as_much_work) {
  work_profile profile(800, 2);
  timed_run mixed(2);
  for (std::uint32_t unit = 0; unit < 800; unit += 50)
    mixed.part(unit / 50 % 2, {unit, 50}, longer_and_longer);
  profile.learn_from_mixed_parts(mixed.job());
  EXPECT_NEAR(profile.shares()[0], 800 * std::sqrt(0.5), 12);
}

TEST(work_profile, tells_a_fast_device_from_short_units_where_parts_are_mixed) {
  work_profile profile(800, 2);
  timed_run mixed(2);
  for (std::uint32_t unit = 0; unit < 800; unit += 25) {
    if (unit / 25 % 2 == 0)
      mixed.part(0, {unit, 25}, longer_and_longer);
    else
      mixed.part(1, {unit, 25}, half_as_long);
  }
  profile.learn_from_mixed_parts(mixed.job());
  EXPECT_NEAR(profile.shares()[0], 800 * std::sqrt(1 / 3.0), 12);
}

TEST(work_profile, promises_the_time_of_the_slowest_device) {
  work_profile profile(800, 2);
  profile.learn_speeds(in_sections(like_all, like_all).job());
  EXPECT_NEAR(profile.slowest_ns({400, 400}), 400e3, 1);
  EXPECT_NEAR(profile.slowest_ns({200, 600}), 600e3, 1);
}

TEST(unevenness, is_the_mean_deviation_of_the_time_for_a_unit) {
  auto const by_half = [](std::uint32_t unit) { return unit < 200 ? 500.0 : 1500.0; };
  EXPECT_DOUBLE_EQ(unevenness(in_sections(like_all, like_all).job(), {1, 1}), 0);
  EXPECT_DOUBLE_EQ(unevenness(in_sections(by_half, like_all).job(), {1, 1}), 0.5);
}

TEST(unevenness, is_none_where_a_device_is_only_slower_or_had_less_than_four_tasks) {
  EXPECT_DOUBLE_EQ(unevenness(in_sections(like_all, [](std::uint32_t) { return 3000.0; }).job(), {1, 1}), 0);
  timed_run few(1);
  few.part(0, {0, 10}, like_all).part(0, {10, 10}, longer_and_longer);
  EXPECT_DOUBLE_EQ(unevenness(few.job(), {1}), 0);
}

TEST(unevenness, is_none_where_a_wave_takes_as_long_whether_or_not_it_is_full) {
  timed_run waves(1);
  for (std::uint32_t const units : {8u, 5u, 8u, 4u, 8u, 3u})
    waves.part(0, {0, units}, [&](std::uint32_t) { return 8000.0 / units; });
  EXPECT_DOUBLE_EQ(unevenness(waves.job(), {8}), 0);
}

TEST(unevenness, is_none_where_two_tasks_run_at_a_time) {
  finished_job run{std::vector<device_run>(1), {}, true};
  for (std::uint32_t i = 0; i < 8; ++i)
    run.devices[0].add(
        {.part = {10 * i, 10}, .begin_ns = i / 2 * 1000, .end_ns = i / 2 * 1000 + 1000 + i % 2});
  EXPECT_LT(unevenness(run, {1}), 0.01);
}

}  // namespace
}  // namespace ballast::test

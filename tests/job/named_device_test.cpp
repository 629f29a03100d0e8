// SPDX-License-Identifier: Apache-2.0
// Jobs that name the device that runs them.

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "adopted_fixture.hpp"
#include "job_fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(jobs_that_name_a_device, leave_the_other_to_later_jobs_while_theirs_is_busy) {
  two_device_jobs all;
  constexpr auto size = two_device_jobs::size;
  gate const closed(all.devices);
  words from(*all.jobs, {size}), elsewhere(*all.jobs, {size});
  fill_with(from, 3);
  fill_with(elsewhere, 0);
  std::deque<words> copies;
  std::vector<completion> behind;
  auto const ref = closed.ref();
  for (int i = 0; i < 12; ++i) {
    auto& to = copies.emplace_back(words(*all.jobs, {size}));
    behind.push_back(
        all.jobs->submit({.grid = {size}, .device = 0}, reads(from), writes(to), [ref](auto one, auto other) {
          return copy_behind_gate{ref, one, other};
        }));
  }
  closed.await_arrival();
  all.jobs
      ->submit({.grid = {size}, .device = 1}, updates(elsewhere), [](auto any) { return count_visits{any}; })
      .wait();
  EXPECT_FALSE(behind.front().ready());
  closed.open();
  for (auto const& one : behind) one.wait();
  for (auto const& to : copies) EXPECT_EQ(values_of(to), std::vector<std::uint32_t>(size, 3));
  EXPECT_EQ(values_of(elsewhere), std::vector<std::uint32_t>(size, 1));
}

TEST(jobs_that_name_a_device, are_refused_alone_and_not_in_a_sequence_that_ignores_it) {
  two_device_jobs all;
  words visits(*all.jobs, {two_device_jobs::size});
  fill_with(visits, 0);
  job_setup const beyond{.grid = {two_device_jobs::size}, .device = 2};
  auto const count = [](auto any) { return count_visits{any}; };
  EXPECT_EQ(refused_argument([&] { all.jobs->submit(beyond, updates(visits), count); }), "device");
  job_sequence steps(*all.jobs);
  steps.add(beyond, updates(visits), count);
  all.jobs->submit(steps, 2).wait();
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(two_device_jobs::size, 2));
}

}  // namespace
}  // namespace ballast::test

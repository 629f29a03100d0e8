// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// A job that does not end before the gate is open.
class job_deadline : public testing::Test {
 protected:
  device_list devices_ = two_devices();
  gate gate_{devices_};  // outlives the kernels behind it
  job_scheduler jobs_{devices_, kernels(), {.policy = "static", .device_bytes = enough_device_bytes}};
  words from_{jobs_, {4}}, to_{jobs_, {4}};

  ~job_deadline() override { gate_.open(); }

  completion submit_behind_gate() {
    number(from_);
    return jobs_.submit({.grid = 4, .name = "late"}, reads(from_), writes(to_),
                        [gate = gate_.ref()](auto from, auto to) {
                          return copy_behind_gate{gate, from, to};
                        });
  }
  template <class Wait>
  static std::string state_after(Wait wait) {
    try {
      wait(deadline::in(std::chrono::milliseconds(1)));
    } catch (timed_out const& late) { return late.state(); }
    return "no deadline passed";
  }
};

TEST_F(job_deadline, of_a_completion_tells_what_hangs) {
  auto const done = submit_behind_gate();
  auto const state = state_after([&](deadline until) { done.wait_until(until); });
  EXPECT_THAT(state, StartsWith("job scheduler on " + devices_[0]->name() + ", " + devices_[1]->name() +
                                ": 1 unfinished job, "));
  EXPECT_THAT(state, ContainsRegex("\noldest job: 'late' \\(number [0-9]+\\), submitted [0-9.]+ s ago: "));
  EXPECT_THAT(state, HasSubstr("2 tasks in flight"));
  EXPECT_THAT(state, HasSubstr("\noldest operation: number "));
  gate_.open();
  done.wait();
  EXPECT_EQ(values_of(to_), values_of(from_));
}

TEST_F(job_deadline, names_the_oldest_jobs_and_counts_the_newer_ones) {
  submit_behind_gate();
  completion last;
  gate_.await_arrival();
  for (int i = 0; i < 9; ++i)
    last =
        jobs_.submit({.grid = 4, .name = "next"}, updates(to_), [](auto any) { return count_visits{any}; });
  auto const state = state_after([&](deadline until) { last.wait_until(until); });
  EXPECT_THAT(state, ContainsRegex(": 10 unfinished jobs, .*\noldest job: 'late' .*\njob: 'next' "));
  EXPECT_THAT(state, HasSubstr("\nand 2 newer jobs\noldest operation: number "));
  EXPECT_THAT(state,
              ContainsRegex("number [0-9]+, a (copy|kernel of job 'late' \\(number [0-9]+\\)) on .+, "));
  gate_.open();
  last.wait();
}

TEST_F(job_deadline, of_the_host_leaves_everything_as_it_was) {
  submit_behind_gate();
  EXPECT_THAT(state_after([&](deadline until) { to_.read(every_element, until); }), HasSubstr("'late'"));
  EXPECT_THAT(state_after([&](deadline until) { to_.write(every_element, until); }), HasSubstr("'late'"));
  EXPECT_THAT(state_after([&](deadline until) { jobs_.wait_all(until); }), HasSubstr("'late'"));
  gate_.open();
  jobs_.wait_all();
  EXPECT_EQ(values_of(to_), values_of(from_));
}

TEST_F(job_deadline, is_not_passed_by_who_waits_for_nothing) {
  submit_behind_gate();
  EXPECT_EQ(from_.read(every_element, deadline::in({}))[3], 4u);
}

}  // namespace
}  // namespace ballast::test

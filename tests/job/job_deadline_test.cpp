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

using testing::HasSubstr;

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
  EXPECT_THAT(state, HasSubstr("job 'late' (number "));
  EXPECT_THAT(state, HasSubstr("1 unfinished job, "));
  EXPECT_THAT(state, HasSubstr("2 tasks in flight"));
  EXPECT_THAT(state, HasSubstr("the oldest operation"));
  gate_.open();
  done.wait();
  EXPECT_EQ(values_of(to_), values_of(from_));
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

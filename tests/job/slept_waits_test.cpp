// SPDX-License-Identifier: Apache-2.0
// The process sleeps (its clock jumps) while it waits: what is awaited slept too.
#include <gtest/gtest.h>

#include <chrono>

#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"
#include "jumping_clock.hpp"

namespace ballast::test {
namespace {

TEST(slept_process, waits_on_for_a_job) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  auto const devices = open_devices("host:1");
  gate held(devices);
  job_scheduler jobs(devices, kernels(), {.device_bytes = enough_device_bytes});
  words from(jobs, {1}), to(jobs, {1});
  number(from);
  auto const done = jobs.submit({.grid = 1}, reads(from), writes(to), [open = held.ref()](auto in, auto out) {
    return copy_behind_gate{open, in, out};
  });
  wait_through_a_sleep(
      3, [&] { EXPECT_NO_THROW(done.wait_until(deadline::in(std::chrono::minutes(1)))); },
      [&] { held.open(); });
  held.open();
  jobs.wait_all();
}

}  // namespace
}  // namespace ballast::test

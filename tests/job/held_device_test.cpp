// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "captured_log.hpp"
#include "held_worker.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;

/// A job whose kernel was issued and cannot begin, of a scheduler whose shutdown timeout is zero. Returns
/// what waiting for it said.
std::string wait_in_vain(std::shared_ptr<compute_device> const& device, array_ref<std::uint32_t> open) {
  job_scheduler jobs({device}, kernels(), {.device_bytes = enough_device_bytes, .shutdown_timeout = {}});
  words from(jobs, {4}), to(jobs, {4});
  number(from);
  auto const done = jobs.submit({.grid = 4, .name = "late"}, reads(from), writes(to), [=](auto in, auto out) {
    return copy_behind_gate{open, in, out};
  });
  std::string state;
  while (state.find(", a kernel of job 'late' (number 2) on host:1, issued") == state.npos) {
    try {
      done.wait_until(deadline::in(std::chrono::milliseconds(1)));
      return "no deadline passed";
    } catch (timed_out const& late) { state = late.state(); }
  }
  return state;
}

TEST(job_on_a_held_device, is_told_who_holds_it_and_leaves_its_memory_to_the_kernel_that_comes_later) {
  auto const device = open_devices("host:1").front();
  auto const* const kept = gate_for_ever({device});
  kept->open();
  captured_log log;
  held_worker worker(device);
  auto const owners_before = device.use_count();
  EXPECT_THAT(wait_in_vain(device, kept->ref()), HasSubstr("host:1 is held by the kernel of the test"));
  EXPECT_GT(device.use_count(), owners_before) << "the memory was freed";
  EXPECT_THAT(log.lines(), HasSubstr("left behind"));
  EXPECT_THAT(log.lines(), HasSubstr("the kernel of the test"));
  worker.let_go();
}

/// A block that faults ends no other of its device.
TEST(job_on_a_lost_device, leaves_its_memory_to_the_blocks_that_still_run) {
  auto const device = open_devices("host:2").front();
  auto const* const kept = gate_for_ever({device});
  captured_log log;
  auto const owners_before = device.use_count();
  {
    job_scheduler jobs({device}, kernels(), {.device_bytes = enough_device_bytes, .shutdown_timeout = {}});
    words from(jobs, {1}), to(jobs, {1}), any(jobs, {1});
    number(from);
    fill_with(any, 0);
    auto const running = jobs.submit({1}, reads(from), writes(to), [&](auto in, auto out) {
      return copy_behind_gate{kept->ref(), in, out};
    });
    kept->await_arrival();
    auto const faulty = jobs.submit({1}, updates(any), [](auto all) { return fault{all}; });
    EXPECT_THROW(faulty.wait(), job_failed);
    EXPECT_THROW(running.wait(), job_failed);
  }
  EXPECT_GT(device.use_count(), owners_before) << "the memory was freed";
  EXPECT_THAT(log.lines(), HasSubstr("left behind"));
  kept->open();
}

}  // namespace
}  // namespace ballast::test

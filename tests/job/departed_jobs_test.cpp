// SPDX-License-Identifier: Apache-2.0
// What jobs that have ended keep goes, whoever frees it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
namespace {

constexpr std::uint32_t units = 4;

/// With a factory that keeps what `token` owns.
completion submit_keeping(std::shared_ptr<int> token, job_scheduler& jobs, words& array) {
  return jobs.submit({units}, updates(array),
                     [token = std::move(token)](auto all) { return count_visits{all}; });
}

bool goes_within(deadline until, std::weak_ptr<int> const& what) {
  while (!what.expired() && !until.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return what.expired();
}

TEST(departed_jobs, are_freed_though_nobody_submits_or_waits_any_more) {
  job_scheduler jobs(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
  words array(jobs, {units});
  fill_with(array, 0);
  auto token = std::make_shared<int>();
  std::weak_ptr<int> const kept = token;
  for (int i = 0; i < 3; ++i) submit_keeping(token, jobs, array).wait();
  token.reset();
  EXPECT_TRUE(goes_within(deadline::in(std::chrono::seconds(20)), kept));
}

TEST(departed_jobs, with_the_last_of_an_array_are_freed_too) {
  job_scheduler jobs(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
  auto token = std::make_shared<int>();
  std::weak_ptr<int> const kept = token;
  {
    words array(jobs, {units});
    fill_with(array, 0);
    submit_keeping(std::move(token), jobs, array);
  }
  EXPECT_TRUE(goes_within(deadline::in(std::chrono::seconds(20)), kept));
}

TEST(departed_jobs, go_with_their_scheduler_at_the_latest) {
  std::weak_ptr<int> kept;
  std::optional<completion> done;
  {
    job_scheduler jobs(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
    words array(jobs, {units});
    fill_with(array, 0);
    auto token = std::make_shared<int>();
    kept = token;
    for (int i = 0; i < 100; ++i) done = submit_keeping(token, jobs, array);
  }
  EXPECT_TRUE(done->ready());
  EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace ballast::test

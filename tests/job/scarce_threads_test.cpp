// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ballast/error.hpp"
#include "job_fixture.hpp"
#include "thread_allowance.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(job_scheduler, is_an_error_whichever_thread_the_system_refuses) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  auto const devices = two_devices();
  auto const make = [&] { job_scheduler(devices, {.device_bytes = enough_device_bytes}); };
  EXPECT_GE(threads_needed<error>(make), int(devices.size()));
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "ballast/error.hpp"
#include "fixture.hpp"
#include "thread_allowance.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(launch_queue, is_an_error_whichever_thread_the_system_refuses) {
  if (sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  EXPECT_GE(threads_needed<error>([] { launch_queue queue(devices()); }), int(devices().size()));
}

}  // namespace
}  // namespace ballast::test

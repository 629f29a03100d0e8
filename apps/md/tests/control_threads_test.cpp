// SPDX-License-Identifier: Apache-2.0
#include "md/control_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "ballast/error.hpp"
#include "thread_allowance.hpp"

namespace ballast::md {
namespace {

TEST(md_control_threads, each_do_every_job_once) {
  control_threads threads(3);
  std::vector<int> done(3, 0);
  for (int job = 0; job < 5; ++job) threads.run([&](std::size_t i) { ++done[i]; });
  EXPECT_EQ(done, std::vector<int>(3, 5));
}

TEST(md_control_threads, pass_on_what_a_job_throws_and_do_the_next) {
  control_threads threads(2);
  EXPECT_THROW(threads.run([](std::size_t i) {
    if (i == 1) throw error("no");
  }),
               error);
  std::atomic<int> done = 0;
  threads.run([&](std::size_t) { ++done; });
  EXPECT_EQ(done, 2);
}

TEST(md_control_threads, tell_how_many_they_are_if_the_system_has_no_more) {
  if (test::sanitized) GTEST_SKIP() << "the sanitizer has a pthread_create of its own";
  test::thread_allowance const only(3);
  EXPECT_THAT([] { control_threads threads(5); },
              testing::ThrowsMessage<error>(testing::StartsWith("of 5 threads only 3 could be started: ")));
}

}  // namespace
}  // namespace ballast::md

// SPDX-License-Identifier: Apache-2.0
#include "md/control_threads.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "ballast/base/error.hpp"
#include "sanitized.hpp"

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

/// In a process of its own: 2 GB are room for the stacks of some hundred threads.
[[noreturn]] void make_more_threads_than_there_is_room_for() {
  rlimit const room{2'000'000'000, 2'000'000'000};
  setrlimit(RLIMIT_AS, &room);
  try {
    control_threads const threads(1000);
  } catch (error const& refusal) {
    std::fputs(refusal.what(), stderr);
    std::_Exit(3);
  }
  std::_Exit(0);
}

TEST(md_control_threads, tell_how_many_they_are_if_the_system_has_no_more) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers need address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(make_more_threads_than_there_is_room_for(), testing::ExitedWithCode(3),
              "of 1000 threads only [0-9]+ could be started: ");
}

}  // namespace
}  // namespace ballast::md

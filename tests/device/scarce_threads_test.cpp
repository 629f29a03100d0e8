// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "sanitized.hpp"

namespace ballast {
namespace {

/// In a process of its own: 2 GB are room for the stacks of some hundred threads.
[[noreturn]] void open_more_cores_than_there_is_room_for() {
  rlimit const room{2'000'000'000, 2'000'000'000};
  setrlimit(RLIMIT_AS, &room);
  try {
    open_devices("host:1000");
  } catch (error const& refusal) {
    std::fputs(refusal.what(), stderr);
    std::_Exit(3);
  }
  std::_Exit(0);
}

TEST(host_device, tells_how_many_threads_it_had_if_the_system_has_no_more) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers need address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(open_more_cores_than_there_is_room_for(), testing::ExitedWithCode(3),
              "of 1000 threads only [0-9]+ could be started: ");
}

}  // namespace
}  // namespace ballast

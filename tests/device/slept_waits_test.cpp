// SPDX-License-Identifier: Apache-2.0
// The process sleeps (its clock jumps) while it waits: what is awaited slept too.
#include <gtest/gtest.h>

#include <chrono>

#include "held_stream.hpp"
#include "jumping_clock.hpp"

namespace ballast::test {
namespace {

constexpr int looks = 20;
auto in_a_minute() { return deadline::in(std::chrono::minutes(1)); }

TEST(slept_process, waits_on_for_a_stream) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  held_stream held(open_devices("host:1").front());
  held.await_start();
  wait_through_a_sleep(
      looks, [&] { EXPECT_NO_THROW(held.get().synchronize(in_a_minute())); }, [&] { held.release(); });
}

TEST(slept_process, waits_on_for_an_event) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  held_stream held(open_devices("host:1").front());
  held.await_start();
  auto const end = completion_of(held.get());
  wait_through_a_sleep(
      looks, [&] { EXPECT_NO_THROW(end.wait_until(in_a_minute())); }, [&] { held.release(); });
}

}  // namespace
}  // namespace ballast::test

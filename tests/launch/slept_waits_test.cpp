// SPDX-License-Identifier: Apache-2.0
// The process sleeps (its clock jumps) while it waits: what is awaited slept too.
#include <gtest/gtest.h>

#include <chrono>

#include "fixture.hpp"
#include "held_worker.hpp"
#include "jumping_clock.hpp"

namespace ballast::test {
namespace {

TEST(slept_process, waits_on_for_a_launch) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  auto const device = open_devices("host:1").front();
  launch_queue queue({device}, kernels());
  shared_words const visits(1);
  held_worker worker(device);
  auto line = queue.make_launch_stream();
  auto const late = line.launch(count_visits{visits.ref()}, 1);
  wait_through_a_sleep(
      3, [&] { EXPECT_NO_THROW(late.wait_until(deadline::in(std::chrono::minutes(1)))); },
      [&] { worker.let_go(); });
  EXPECT_EQ(visits[0], 1u);
}

}  // namespace
}  // namespace ballast::test

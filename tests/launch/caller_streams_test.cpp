// SPDX-License-Identifier: Apache-2.0
// A launch queue inside code that has streams of its own.
#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(launch_queue, begins_after_an_event_of_a_callers_stream) {
  launch_queue queue(first_device(), kernels());
  shared_words const gate(1), visits(1);
  device_buffer<std::uint32_t> const sevens(devices().front(), 1);
  auto const theirs = devices().front()->make_stream();
  auto line = queue.make_launch_stream();
  theirs->fill(sevens.data(), 7, 4);
  line.launch(wait_at_gate{gate.ref()}, 1);
  line.precede(*theirs);
  theirs->copy(visits.ref().data(), sevens.data(), 4);
  line.after(*theirs);
  auto const last = line.launch(count_visits{visits.ref()}, 1);
  EXPECT_FALSE(theirs->idle());
  EXPECT_FALSE(last.ready());
  gate.open();
  last.wait();
  theirs->synchronize();
  EXPECT_EQ(visits[0], 0x07070707u + 1);
}

TEST(launch_queue, can_be_woven_with_a_callers_stream_many_times) {
  launch_queue queue(devices(), kernels());
  constexpr std::uint32_t rounds = 60;
  shared_words const log(1 + rounds), copies(rounds);
  auto line = queue.make_launch_stream_on(0);
  auto const theirs = devices().front()->make_stream();
  for (std::uint32_t i = 0; i < rounds; ++i) {
    line.launch(append_to_log{log.ref(), i}, 1);
    line.precede(*theirs);
    theirs->copy(copies.ref().data() + i, log.ref().data(), 4);
    line.after(*theirs);
  }
  queue.wait_all();
  theirs->synchronize();
  for (std::uint32_t i = 0; i < rounds; ++i) {
    EXPECT_EQ(log[1 + i], i);
    EXPECT_EQ(copies[i], i + 1);
  }
}

}  // namespace
}  // namespace ballast::test

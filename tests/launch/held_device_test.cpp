// SPDX-License-Identifier: Apache-2.0
// Queues whose launches cannot begin, because a resident kernel holds their device, or do not end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "ballast/error.hpp"
#include "captured_log.hpp"
#include "fixture.hpp"
#include "held_worker.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

auto const is_held = HasSubstr("host:1 is held by the kernel of the test");

template <class Wait>
std::string state_after(Wait wait) {
  try {
    wait(deadline::in(std::chrono::milliseconds(1)));
  } catch (timed_out const& late) { return late.state(); }
  return "no deadline passed";
}

/// What kernels see that nobody can await.
shared_words const& words_for_ever() {
  static auto* const kept = new std::deque<shared_words>;
  return kept->emplace_back(2);
}

TEST(launch_queue_on_a_held_device, is_told_who_holds_it_by_every_deadline) {
  auto const device = open_devices("host:1").front();
  launch_queue queue({device}, kernels());
  shared_words const visits(1);
  held_worker worker(device);
  auto line = queue.make_launch_stream();
  auto const late = line.launch(count_visits{visits.ref()}, 1);
  EXPECT_THAT(state_after([&](deadline until) { late.wait_until(until); }), is_held);
  EXPECT_THAT(state_after([&](deadline until) { queue.wait_all(until); }), is_held);
  worker.let_go();
  late.wait();
  EXPECT_EQ(visits[0], 1u);
}

TEST(launch_queue_on_a_held_device, is_not_said_to_be_held_when_nobody_does) {
  auto const device = open_devices("host:1").front();
  launch_queue queue({device}, kernels());
  shared_words const gate(1);
  auto line = queue.make_launch_stream();
  auto const late = line.launch(wait_at_gate{gate.ref()}, 1);
  auto const state = state_after([&](deadline until) { late.wait_until(until); });
  EXPECT_THAT(state, HasSubstr("launch stream 0: 1 launch submitted"));
  EXPECT_THAT(state, testing::Not(HasSubstr("held")));
  gate.open();
  late.wait();
}

TEST(launch_queue_on_a_held_device, leaves_its_memory_to_what_begins_after_it_is_gone) {
  auto const device = open_devices("host:1").front();
  auto const& visits = words_for_ever();
  held_worker worker(device);
  auto const owners_before = device.use_count();
  captured_log log;
  completion late;
  {
    launch_queue queue({device}, kernels(), {.shutdown_timeout = {}});
    auto line = queue.make_launch_stream();
    late = line.launch(count_visits{visits.ref()}, 1);
    line.wait_issued();
  }
  EXPECT_GT(device.use_count(), owners_before) << "the memory was freed";
  EXPECT_THAT(log.lines(), HasSubstr("a launch queue is left behind"));
  EXPECT_THAT(log.lines(), is_held);
  EXPECT_THAT([&] { late.wait(); }, ThrowsMessage<error>(is_held));
  worker.let_go();
  std::atomic_ref const count(visits[0]);
  while (count.load() == 0) std::this_thread::yield();
  EXPECT_EQ(count.load(), 1u);
}

/// The last launch stream of the queue may be the last to go.
TEST(launch_queue_on_a_held_device, leaves_its_memory_when_its_last_producer_goes) {
  auto const device = open_devices("host:1").front();
  auto const& visits = words_for_ever();
  held_worker worker(device);
  auto const owners_before = device.use_count();
  captured_log log;
  {
    std::optional<launch_queue> queue(std::in_place, device_list{device}, kernels(),
                                      launch_options{.shutdown_timeout = {}});
    auto line = queue->make_launch_stream();
    line.launch(count_visits{visits.ref()}, 1);
    line.wait_issued();
    queue.reset();
    EXPECT_EQ(log.lines(), "");
  }
  EXPECT_GT(device.use_count(), owners_before) << "the memory was freed";
  EXPECT_THAT(log.lines(), HasSubstr("a launch queue is left behind"));
  worker.let_go();
}

TEST(launch_queue, is_not_left_behind_where_everything_has_ended) {
  auto const device = open_devices("host:2").front();
  auto const owners_before = device.use_count();
  shared_words const visits(1);
  captured_log log;
  completion done;
  {
    launch_queue queue({device}, kernels());
    done = queue.make_launch_stream().launch(count_visits{visits.ref()}, 1);
  }
  EXPECT_TRUE(done.ready());
  EXPECT_EQ(device.use_count(), owners_before);
  EXPECT_THAT(log.lines(), Not(HasSubstr("left behind")));
}

/// A block that faults ends no other, and those tell their ends.
TEST(launch_queue_on_a_lost_device, leaves_its_memory_to_the_blocks_that_still_run) {
  auto const device = open_devices("host:2").front();
  auto const& gate = words_for_ever();
  auto const owners_before = device.use_count();
  captured_log log;
  {
    launch_queue queue({device}, kernels(), {.merge = "none", .shutdown_timeout = {}});
    auto running = queue.make_launch_stream(), faulty = queue.make_launch_stream();
    auto const held = running.launch(arrive_at_gate{gate.ref()}, 1);
    while (std::atomic_ref(gate[1]).load() == 0) std::this_thread::yield();
    EXPECT_THROW(faulty.launch(fault(), 1).wait(), device_lost);
    EXPECT_THROW(held.wait(), device_lost);
  }
  EXPECT_GT(device.use_count(), owners_before) << "the memory was freed";
  EXPECT_THAT(log.lines(), HasSubstr("a launch queue is left behind"));
  gate.open();
}

}  // namespace
}  // namespace ballast::test

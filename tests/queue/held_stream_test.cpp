// SPDX-License-Identifier: Apache-2.0
// Streams that wait for tasks of queues. What they use is made before the resident kernel starts.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "complaint.hpp"
#include "fixture.hpp"
#include "refused_argument.hpp"
#include "sanitized.hpp"

namespace ballast::test {
namespace {

/// A queue of few workers, whose tasks a gate holds, and a stream that is to wait for them.
struct held_streams : testing::Test {
  static queue_options not_started() {
    auto options = test_options();
    options.start_at_once = false;
    if (first_device()->is_cuda()) options.resident.blocks = 3;
    return options;
  }
  /// Of what was enqueued behind the wait.
  bool has_filled() const {
    return std::ranges::all_of(filled.span(), [](std::uint32_t word) { return word == 0x01010101; });
  }
  std::unique_ptr<event> fill() {
    held->fill(filled.data(), 1, filled.bytes());
    return held->record_untimed();
  }
  /// Whether it is not reached in a while.
  static bool stays_ahead(event& moment) {
    for (int looks = 0; looks < 100; ++looks) {
      if (moment.reached()) return false;
      std::this_thread::yield();
    }
    return true;
  }
  /// What is enqueued behind a wait for tasks at the gate, which then opens.
  void expect_held_until(completion const& done) {
    held->wait_for(done);
    auto const filled_at = fill();
    EXPECT_TRUE(stays_ahead(*filled_at));
    waits.open();
    held->synchronize();
    EXPECT_TRUE(done.ready());
    EXPECT_TRUE(has_filled());
  }
  void SetUp() override { std::ranges::fill(filled.span(), 0u); }

  gate waits{64};
  pinned_buffer<std::uint32_t> filled{first_device(), 16};
  std::unique_ptr<stream> held = first_device()->make_stream();
  task_queue queue{first_device(), kernels(), not_started()};
};

TEST_F(held_streams, begin_what_comes_after_the_wait_once_the_task_has_run) {
  queue.start();
  expect_held_until(queue.submit(waits.holder(0)));
  queue.close();
}

TEST_F(held_streams, wait_for_all_of_several_tasks) {
  queue.start();
  completion const both[] = {queue.submit(waits.holder(0)), queue.submit(waits.holder(1))};
  held->wait_for(when_all(both));
  fill();
  waits.open();
  held->synchronize();
  EXPECT_TRUE(both[0].ready() && both[1].ready());
  EXPECT_TRUE(has_filled());
  queue.close();
}

TEST_F(held_streams, do_not_wait_for_what_is_ready) {
  completion const none;
  held->wait_for(none);
  queue.start();
  auto const done = queue.submit(waits.holder(0));
  waits.open();
  done.wait();
  queue.close();
  held->wait_for(done);
  fill();
  held->synchronize();
  EXPECT_TRUE(has_filled());
}

TEST_F(held_streams, go_on_when_the_queue_is_stopped) {
  queue.start();
  std::vector<completion> all;
  for (std::uint32_t i = 0; i < 64; ++i) all.push_back(queue.submit(waits.holder(i)));
  held->wait_for(when_all(all));
  fill();
  queue.request_stop();
  waits.open();
  queue.stop();
  held->synchronize();
  EXPECT_TRUE(has_filled());
}

TEST_F(held_streams, refuse_completions_that_may_need_a_launch) {
  queue.start();
  auto const running = queue.submit(waits.holder(0));
  auto const later = running.then([] {});
  EXPECT_EQ(refused_argument([&] { held->wait_for(later); }), "work");
  EXPECT_EQ(refused_argument([&] { held->wait_for(when_all(running, later)); }), "work");
  EXPECT_THAT(complaint([&] { held->wait_for(later); }), testing::HasSubstr("may need a launch"));
  waits.open();
  later.wait();
  queue.close();
}

TEST_F(held_streams, of_a_gpu_wait_for_256_completions_at_a_time) {
  if (!first_device()->is_cuda()) GTEST_SKIP() << "on cores there is no limit";
  queue.start();
  auto const done = queue.submit(waits.holder(0));
  for (int i = 0; i < 256; ++i) held->wait_for(done);
  EXPECT_THAT(complaint([&] { held->wait_for(done); }), testing::HasSubstr("256"));
  waits.open();
  held->synchronize();
  for (int i = 0; i < 256; ++i) held->wait_for(queue.submit(waits.holder(1)));
  held->synchronize();
  queue.close();
}

/// A GPU's stream somewhere has no room for more, and has it again only once the wait in front has ended,
/// while another thread is in the driver.
TEST_F(held_streams, go_on_when_more_is_enqueued_behind_the_wait_than_they_have_room_for) {
  std::vector<std::uint32_t> fills{700, 3000};
  if (!sanitized) fills.push_back(20'000);
  std::deque<gate> gates;
  for (std::size_t round = 0; round < fills.size(); ++round) gates.emplace_back(64);
  queue.start();
  for (std::size_t round = 0; round < fills.size(); ++round) {
    auto const done = queue.submit(gates[round].holder(0));
    held->wait_for(done);
    std::atomic<std::uint32_t> enqueued = 0;
    std::jthread const behind([&] {
      for (std::uint32_t i = 0; i < fills[round]; ++i, ++enqueued)
        held->fill(filled.data(), 1, filled.bytes());
      for (std::uint32_t i = 0; i < 250; ++i, ++enqueued) held->wait_for(done);
    });
    // Until the thread is at its end, or seems to wait for room.
    for (std::uint32_t looks = 0, before = 0; looks < 50; ++looks) {
      auto const now = enqueued.load();
      if (now != std::exchange(before, now)) looks = 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    gates[round].open();
  }
  held->synchronize();
  EXPECT_TRUE(has_filled());
  queue.close();
}

TEST_F(held_streams, wait_for_tasks_of_a_balanced_queue) {
  balanced_options options;
  options.queue = not_started();
  balanced_queue balanced(devices(), kernels(), options);
  std::vector<task> const tasks = {waits.holder(0), waits.holder(1), waits.holder(2)};
  expect_held_until(balanced.submit(tasks));
  balanced.close();
}

}  // namespace
}  // namespace ballast::test

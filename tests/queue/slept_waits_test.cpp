// SPDX-License-Identifier: Apache-2.0
// The process sleeps (its clock jumps) while it waits: what is awaited slept too.
#include <gtest/gtest.h>

#include <chrono>

#include "fixture.hpp"
#include "jumping_clock.hpp"

namespace ballast::test {
namespace {

constexpr int looks = 300;  // then it waits for what is held

/// What holds the worker of a device from a queue that starts. Made once it has it: else the queue may be
/// first.
class busy_worker {
 public:
  explicit busy_worker(std::shared_ptr<compute_device> const& device)
      : word_(device, 1), stream_(device->make_stream()) {
    word_[0] = 0;
    auto* const word = word_.data();
    stream_->launch({.name = "hold", .host_function = hold, .threads = 32}, 1, &word, sizeof word);
    while (std::atomic_ref(*word).load(std::memory_order_acquire) == 0) std::this_thread::yield();
  }
  void let_go() { std::atomic_ref(word_[0]).store(2, std::memory_order_release); }

 private:
  static void hold(void const* argument, detail::host_block_context&) {
    std::atomic_ref const word(**static_cast<std::uint32_t* const*>(argument));
    word.store(1, std::memory_order_release);
    while (word.load(std::memory_order_acquire) != 2) std::this_thread::yield();
  }

  pinned_buffer<std::uint32_t> word_;
  std::unique_ptr<stream> stream_;
};

TEST(slept_process, waits_on_for_the_start_of_a_resident_kernel) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  auto const device = open_devices("host:1").front();
  task_queue queue(device, kernels(), {.start_at_once = false});
  busy_worker busy(device);
  wait_through_a_sleep(
      looks, [&] { EXPECT_NO_THROW(queue.start()); }, [&] { busy.let_go(); });
  busy.let_go();
  queue.close();
}

TEST(slept_process, waits_on_for_tasks) {
  if (sanitized) GTEST_SKIP() << "sanitizers have a clock of their own";
  auto const device = open_devices("host:1").front();
  task_queue queue(device, kernels());
  gate held(1);
  auto const end = queue.submit(held.holder(0));
  held.await_inside(1);
  wait_through_a_sleep(
      20, [&] { EXPECT_NO_THROW(end.wait_until(deadline::in(std::chrono::minutes(1)))); },
      [&] { held.open(); });
  held.open();
  queue.close();
}

}  // namespace
}  // namespace ballast::test

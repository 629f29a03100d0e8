// SPDX-License-Identifier: Apache-2.0
#include "ballast/methods/chen_queue.hpp"

#include <atomic>
#include <thread>

#include "methods.hpp"

namespace ballast::test {
using namespace detail;
namespace {

chen_options few_blocks() {
  auto options = chen_options_for(fit::usual);
  if (first_device()->is_cuda()) options.resident.blocks = 9;
  return options;
}

std::uint64_t tasks_of(std::vector<device_share> const& shares) {
  std::uint64_t sum = 0;
  for (auto const& share : shares) sum += share.tasks;
  return sum;
}

TEST(chen_queue, launches_its_kernels_for_every_step_and_leaves_the_devices_free_between) {
  std::uint32_t const n = 200;
  shared_visits visits(n);
  chen_to_every queue;
  for (std::uint32_t step = 0; step < 4; ++step) {
    for (auto const& device : devices()) EXPECT_FALSE(device->has_resident()) << "before step " << step;
    for (std::uint32_t i = 0; i < n / 4; ++i) queue.submit(chen_to_every::visit(visits, step * n / 4 + i));
    queue.wait_all();
    EXPECT_FALSE(queue.running());
  }
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
}

TEST(chen_queue, keeps_every_device_busy_with_its_kernel_during_a_step) {
  gate held(1);
  chen_to_every queue;
  queue.submit(held.holder(0));
  held.await_inside(1);
  EXPECT_TRUE(queue.running());
  auto const until = deadline::in(std::chrono::minutes(1));
  for (auto const& device : devices()) {
    while (!device->has_resident() && !until.passed()) std::this_thread::yield();
    EXPECT_TRUE(device->has_resident()) << device->name();
  }
  held.open();
  queue.close();
}

TEST(chen_queue, tells_what_each_device_did_in_the_last_step) {
  std::uint32_t const n = 500;
  shared_visits visits(n);
  auto options = chen_options_for(fit::usual);
  options.times = true;
  chen_queue queue(devices(), kernels(), options);
  for (std::uint32_t i = 0; i < n; ++i) queue.submit(chen_to_every::visit(visits, i));
  queue.wait_all();
  auto const shares = queue.last_step();
  ASSERT_EQ(shares.size(), devices().size());
  EXPECT_EQ(tasks_of(shares), n);
  for (auto const& share : shares) {
    EXPECT_GE(share.when.last_end_ns, share.when.first_begin_ns);
    EXPECT_TRUE(share.tasks == 0 || share.when.first_begin_ns > 0);
    EXPECT_GE(share.when.work_ns, 0);
  }
  queue.close();
}

TEST(chen_queue, begins_another_step_after_one_ended_at_the_idle_timeout) {
  auto options = few_blocks();
  options.resident.idle_timeout = std::chrono::milliseconds(20);
  counted_words visits(first_device(), 2);
  chen_queue queue({first_device()}, kernels(), options);
  auto const until = deadline::in(std::chrono::minutes(1));
  for (std::uint32_t i = 0; i < 2; ++i) {
    queue.submit(chen_to_one::visit(visits, i));
    while (queue.running() && !until.passed()) std::this_thread::yield();
    ASSERT_FALSE(queue.running());
  }
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
}

TEST(chen_queue, stopped_with_full_queues_hands_back_what_no_block_dequeued) {
  std::uint32_t const n = 300;
  gate held(64);
  counted_words visits(first_device(), n);
  chen_queue queue({first_device()}, kernels(), few_blocks());
  auto const blocks =
      first_device()->is_cuda() ? 9u : std::uint32_t(first_device()->properties().multiprocessors);
  for (std::uint32_t i = 0; i < blocks; ++i) queue.submit(held.holder(i));
  held.await_inside(blocks);
  for (std::uint32_t i = 0; i < n; ++i) queue.submit(chen_to_one::visit(visits, i));
  queue.request_stop();
  held.open();
  EXPECT_THROW(queue.wait_all(), stopped);
  auto const rest = queue.stop();
  EXPECT_GE(rest.size(), n - 60);  // two queues of 20, and a refill on its way
  auto seen = visits.read();
  for (auto const& one : rest) seen[one.range().first] += 1;
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
}

TEST(chen_queue, stopped_tells_those_who_wait) {
  gate held(1);
  shared_visits visits(2000);
  chen_to_every queue;
  queue.submit(held.holder(0));
  held.await_inside(1);
  std::atomic<bool> told = false;
  std::jthread waiting([&] {
    try {
      queue.wait_all();
    } catch (stopped const&) { told = true; }
  });
  queue.request_stop();
  waiting.join();
  EXPECT_TRUE(told);
  held.open();
  EXPECT_TRUE(queue.stop().empty());
}

TEST(chen_queue, refuses_what_is_outside_its_range) {
  auto const refused = [](auto change) {
    auto options = few_blocks();
    change(options);
    try {
      chen_queue queue({first_device()}, kernels(), options);
    } catch (bad_argument const& refusal) { return refusal.argument(); }
    return std::string("nothing");
  };
  EXPECT_EQ(refused([](auto& o) { o.queues = 0; }), "queues");
  EXPECT_EQ(refused([](auto& o) { o.queues = 17; }), "queues");
  EXPECT_EQ(refused([](auto& o) { o.tasks_per_queue = 0; }), "tasks_per_queue");
  EXPECT_EQ(refused([](auto& o) { o.tasks_per_queue = 257; }), "tasks_per_queue");
  EXPECT_EQ(refused([](auto& o) { o.resident.blocks = -1; }), "blocks");
  EXPECT_THROW(chen_queue({}, kernels()), bad_argument);
}

TEST(chen_queue, refuses_a_list_that_was_not_compiled_for_it) {
  auto const all = kernels().kernels();
  kernel_set const without("without", {{all.begin(), all.end()}, {}});
  try {
    chen_queue queue({first_device()}, without);
    FAIL() << "a list without the source was accepted";
  } catch (error const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("without"), std::string::npos) << refusal.what();
  }
}

TEST(chen_queue, dropped_in_the_middle_of_a_step_ends_its_kernels) {
  shared_visits visits(2000);
  {
    chen_to_every queue;
    for (std::uint32_t i = 0; i < 2000; ++i) queue.submit(chen_to_every::long_visit(visits, i, 10'000));
  }
  for (auto const& device : devices()) EXPECT_FALSE(device->has_resident()) << device->name();
  EXPECT_EQ(check_visits(visits.read()).duplicated, 0u);
}

TEST(chen_queue, throws_device_lost_and_never_hangs) {
  if (first_device()->is_cuda())
    GTEST_SKIP()
        << "a trap ends every later test of this process; run alone with --gtest_also_run_disabled_tests";
  auto const mine = open_devices("host:2").front();
  chen_queue queue({mine}, kernels(), chen_options_for(fit::usual));
  queue.submit(task(fail{}));
  EXPECT_THROW(queue.wait_all(), device_lost);
  EXPECT_THROW(queue.submit(task(fail{})), device_lost);
  EXPECT_TRUE(queue.stop().empty());
  EXPECT_TRUE(queue.stop().empty());
}

TEST(chen_queue, DISABLED_throws_device_lost_on_a_gpu_and_never_hangs) {
  chen_queue queue({first_device()}, kernels(), few_blocks());
  queue.submit(task(fail{}));
  EXPECT_THROW(queue.wait_all(), device_lost);
  EXPECT_TRUE(queue.stop().empty());
}

}  // namespace
}  // namespace ballast::test

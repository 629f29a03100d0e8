// SPDX-License-Identifier: Apache-2.0
// What the pages on queues and completions show, as they show it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "fixture.hpp"

namespace ballast::test {

kernel_set const& reducing_kernels();  // reduction_kernels.cu

namespace {

std::vector<std::uint32_t> const twice(3, 2u);

class pages_on_queues : public testing::Test {
 protected:
  std::uint32_t count_runs() const {
    auto const runs = visits_.read();
    return std::accumulate(runs.begin(), runs.end(), 0u);
  }

  shared_visits visits_{3}, others_{3};

 public:
  std::vector<task> tasks = visits_of(visits_.ref(), 3), others = visits_of(others_.ref(), 3);
};

TEST_F(pages_on_queues, show_a_chain_of_batches_that_wait_on_the_device) {
  task_queue queue(first_device(), kernels(), test_options());
  std::vector const steps{tasks, tasks};
  ballast::completion last;
  for (auto const& step : steps) last = queue.submit(step, {.after = last});  // no wait on the host
  last.wait();
  EXPECT_EQ(visits_.read(), twice);
  queue.close();
}

TEST_F(pages_on_queues, show_how_far_a_queue_is) {
  balanced_queue queue({first_device()}, kernels(), {.queue = test_options()});
  queue.submit(tasks).wait();
  ballast::queue_progress const now = queue.progress();
  std::printf("%zu of %zu tasks done, %zu wait\n", now.done, now.submitted, now.waiting);
  EXPECT_EQ(now.done, 3u);
  ballast::published_progress const published("frames", [&] { return queue.progress(); });
  EXPECT_EQ(ballast::published_progress::read(getpid()).at(0).progress.done, 3u);
  queue.close();
}

TEST_F(pages_on_queues, show_a_kernel_that_the_host_asks_to_stop) {
  pinned_buffer<std::uint32_t> stop(first_device(), 1);
  shared_visits made(1);
  task_queue queue(first_device(), reducing_kernels(), test_options());
  stop[0] = 0;
  auto const endless = queue.submit(task(step_until_asked{array_ref(stop), made.ref()}, {0, 1}));
  while (system_word(made.ref()[0]).load_acquire() == 0) std::this_thread::yield();
  EXPECT_FALSE(endless.ready());
  ballast::atomic_ref<std::uint32_t, ballast::scope::system>(stop[0]).store_relaxed(1);
  endless.wait();
  queue.close();
}

TEST_F(pages_on_queues, show_continuations) {
  task_queue queue(first_device(), kernels(), test_options());
  std::uint32_t sum = 0;
  auto const loaded = queue.submit(tasks);
  auto const summed = loaded.then([&] { sum = count_runs(); });  // on the thread of continuations
  when_all(summed, queue.submit(others)).wait();
  EXPECT_EQ(sum, 3u);
  EXPECT_EQ(others_.read(), std::vector<std::uint32_t>(3, 1));
  queue.wait_all(ballast::deadline::in(std::chrono::seconds(30)));
  queue.close();
}

TEST_F(pages_on_queues, show_a_step_of_the_papers_queue) {
  device_list const devices{first_device()};
  chen_options options;
  if (devices.front()->is_cuda()) options.resident.blocks = 9;  // whose HALTs fit into a refill
  ballast::chen_queue queue(devices, kernels(), options);
  queue.submit(tasks);                 // the time step begins: every device launches the kernel
  queue.wait_all();                    // HALTs, the kernels' end: all results are visible
  auto const ran = queue.last_step();  // what each device did, and with options.times when
  EXPECT_EQ(ran.front().tasks, 3u);
  EXPECT_EQ(count_runs(), 3u);
  queue.close();
}

}  // namespace
}  // namespace ballast::test

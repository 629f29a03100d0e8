// SPDX-License-Identifier: Apache-2.0
// Several servers, each of which has some of the submission rings. On cores the option changes nothing.
#include <latch>
#include <span>
#include <thread>

#include "fixture.hpp"
#include "row_chain.hpp"

namespace ballast::test {
using namespace detail;
namespace {

struct several_servers : testing::TestWithParam<std::uint32_t> {
  static queue_options options(std::uint32_t capacity = 1024) {
    auto all = test_options();
    all.servers = GetParam();
    all.capacity = capacity;
    return all;
  }
};

/// Each of so many threads calls `submit(thread)`, and stays until all have: each has a ring of its own.
template <class Submit>
void by_threads(std::uint32_t threads, Submit const& submit) {
  std::latch submitted(threads);
  std::vector<std::jthread> all;
  for (std::uint32_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      submit(t);
      submitted.arrive_and_wait();
    });
}

constexpr std::uint32_t submitters = 6;

TEST_P(several_servers, run_what_threads_submit_one_by_one_in_batches_and_as_grids_exactly_once) {
  std::uint32_t const singles = 500, batched = 3'000, grid = 200, each = singles + batched + grid;
  counted_words visits(first_device(), submitters * each);
  auto const tasks = visits_of(visits.ref(), submitters * each);
  task_queue queue(first_device(), kernels(), options());
  by_threads(submitters, [&](std::uint32_t t) {
    auto const mine = std::span(tasks).subspan(std::size_t(t) * each, each);
    for (std::uint32_t i = 0; i < singles; ++i) queue.submit(mine[i]);
    queue.submit(mine.subspan(singles, batched));
    queue.submit(grid_task(task(count_visit{visits.ref()}, {t * each + singles + batched, grid}))).wait();
  });
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_EQ(queue.statistics().claimed, submitters * std::uint64_t(each));
  EXPECT_EQ(queue.statistics().fetched, submitters * std::uint64_t(each));
}

TEST_P(several_servers, share_the_smallest_ring) {
  std::uint32_t const each = 200;
  counted_words visits(first_device(), submitters * each);
  auto const tasks = visits_of(visits.ref(), submitters * each);
  task_queue queue(first_device(), kernels(), options(2));
  by_threads(submitters, [&](std::uint32_t t) {
    queue.submit(std::span(tasks).subspan(std::size_t(t) * each, each));
    queue.wait_all();
  });
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(several_servers, may_be_more_than_there_are_submission_rings) {
  std::uint32_t const n = 5'000;
  counted_words visits(first_device(), n);
  auto few = options();
  few.submission_rings = 1;
  task_queue queue(first_device(), kernels(), few);
  queue.submit(visits_of(visits.ref(), n));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

// The first task of each thread is held, so that the stop finds the others in every ring.
TEST_P(several_servers, hand_back_at_a_stop_what_did_not_run_and_start_again) {
  std::uint32_t const each = 2'000;
  counted_words visits(first_device(), submitters * each);
  auto const tasks = visits_of(visits.ref(), submitters * each);
  auto later = options(4096);
  later.start_at_once = false;
  task_queue queue(first_device(), kernels(), later);
  gate held(queue.workers());
  queue.start();
  for (std::uint32_t i = 0; i < queue.workers(); ++i) queue.submit(held.holder(i));
  held.await_inside(queue.workers_of_run());
  by_threads(submitters, [&](std::uint32_t t) {
    queue.submit(std::span(tasks).subspan(std::size_t(t) * each, each / 2));
    queue.submit(grid_task(task(count_visit{visits.ref()}, {t * each + each / 2, each / 2})));
  });
  queue.request_stop();
  held.open();
  auto const rest = queue.stop();
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(several_servers, keep_the_order_of_batches_that_wait_for_others) {
  std::vector<row_chain> chains;
  for (std::uint32_t t = 0; t < submitters; ++t) chains.emplace_back(16);
  task_queue queue(first_device(), kernels(), options(64));
  by_threads(submitters, [&](std::uint32_t t) {
    chains[t].submit(queue, 60);
    chains[t].submit_grids(queue, 5);
    chains[t].submit(queue, 60).wait();
  });
  queue.close();
  for (auto const& chain : chains) EXPECT_TRUE(chain.is_right());
}

TEST_P(several_servers, end_together_at_the_idle_timeout) {
  auto idle = options();
  idle.resident.idle_timeout = std::chrono::milliseconds(100);
  task_queue queue(first_device(), kernels(), idle);
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.running() && !until.passed()) std::this_thread::yield();
  EXPECT_FALSE(queue.running());
  EXPECT_TRUE(queue.stop().empty());
}

TEST_P(several_servers, are_told_by_the_statistics) {
  task_queue queue(first_device(), kernels(), options());
  auto const servers = queue.statistics().servers;
  queue.close();
  if (!first_device()->is_cuda()) {
    EXPECT_EQ(servers, 0u);
  } else {
    bool const one_by_one = environment("NV_SANITIZER_INJECTION_PORT_BASE") ||
                            environment("CUDA_LAUNCH_BLOCKING").value_or("0") != "0";
    EXPECT_EQ(servers, one_by_one ? 1 : GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(servers, several_servers, testing::Values(1, 2, 3, 4),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ballast::test

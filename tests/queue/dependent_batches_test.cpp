// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/detail/queue/ring_words.cuh"
#include "fixture.hpp"
#include "row_chain.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

deadline soon() { return deadline::in(std::chrono::milliseconds(20)); }

queue_options with_capacity(std::uint32_t tasks) {
  auto options = test_options();
  options.capacity = tasks;
  return options;
}

TEST(dependent_batches, begin_at_once_after_nothing_or_after_what_has_run) {
  counted_words const visits(first_device(), 3);
  task_queue queue(first_device(), kernels(), test_options());
  auto const all = visits_of(visits.ref(), 3);
  auto const first = queue.submit(all[0], {.after = {}});
  first.wait();
  auto const second = queue.submit(std::span(all).subspan(1, 1), {.after = first});
  second.wait();
  queue.submit(prepared_tasks(kernels(), std::span(all).last(1)), {.after = second}).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, run_in_order_as_a_chain_of_single_tasks) {
  row_chain chain(1);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit(queue, 500).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, see_all_that_a_batch_of_many_tasks_wrote) {
  row_chain chain(300);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit(queue, 40).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, wait_for_every_block_of_a_grid_task) {
  row_chain chain(700);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit_grids(queue, 15);
  chain.submit(queue, 2);
  chain.submit_grids(queue, 3).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, run_on_while_the_ring_is_full_of_those_that_wait) {
  row_chain chain(7);
  task_queue queue(first_device(), kernels(), with_capacity(8));
  chain.submit(queue, 200).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, may_be_larger_than_what_is_accepted_whole) {
  row_chain chain(2000);
  task_queue queue(first_device(), kernels(), with_capacity(64));
  ASSERT_LT(queue.max_whole_batch() * (max_more_batches + 1), 2000u) << "some must be waited for on the host";
  chain.submit(queue, 4).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, wait_for_one_long_task_among_tiny_ones) {
  gate held(1);
  std::uint32_t const tiny = 100;
  counted_words const visits(first_device(), tiny);
  row_chain chain(20);
  task_queue queue(first_device(), kernels(), test_options());
  auto first = visits_of(visits.ref(), tiny);
  first.insert(first.begin() + tiny / 2, held.holder(0));
  auto const before = queue.submit(first);
  held.await_inside(1);
  chain.begin_after(before);
  auto const steps = chain.submit(queue, 3);
  EXPECT_THROW(steps.wait_until(soon()), timed_out);
  EXPECT_FALSE(before.ready());
  EXPECT_FALSE(steps.ready());
  held.open();
  steps.wait();
  before.wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, of_several_threads_and_of_others_completions_keep_their_order) {
  std::uint32_t const threads = 3, steps = max_batch_distance / threads;
  std::vector<row_chain> chains;
  for (std::uint32_t i = 0; i < 2 * threads; ++i) chains.emplace_back(10);
  gate held(1);
  task_queue queue(first_device(), kernels(), test_options());
  auto const first = queue.submit(held.holder(0));  // of this thread, whom the others follow
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t i = 0; i < threads; ++i)
      submitters.emplace_back([&, i] {
        chains[2 * i].begin_after(first);
        for (std::uint32_t step = 0; step < steps; ++step) {
          chains[2 * i].submit(queue, 1);
          chains[2 * i + 1].submit(queue, 1);
        }
      });
  }
  held.open();
  queue.close();
  for (auto const& chain : chains) EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, too_far_behind_are_submitted_once_the_first_has_ended) {
  gate held(1);
  counted_words const visits(first_device(), max_batch_distance + 1);
  task_queue queue(first_device(), kernels(), test_options());
  auto const all = visits_of(visits.ref(), max_batch_distance + 1);
  auto const before = queue.submit(held.holder(0));
  held.await_inside(1);
  for (std::uint32_t i = 0; i + 1 < max_batch_distance; ++i) queue.submit(all[i]);
  auto const within_reach = queue.submit(all[max_batch_distance - 1], {.after = before, .until = soon()});
  EXPECT_THROW(queue.submit(all[max_batch_distance], {.after = before, .until = soon()}), queue_full);
  EXPECT_FALSE(within_reach.ready());
  held.open();
  queue.submit(all[max_batch_distance], {.after = before}).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, that_wait_are_handed_back_by_a_stop_and_run_later) {
  gate held(1);
  std::uint32_t const n = 200;
  counted_words const visits(first_device(), 2 * n);
  task_queue queue(first_device(), kernels(), test_options());
  auto const all = visits_of(visits.ref(), 2 * n);
  auto const before = queue.submit(held.holder(0));
  held.await_inside(1);
  auto const second = queue.submit(std::span(all).first(n), {.after = before});
  queue.submit(grid_task(task(count_visit{visits.ref()}, {n, n})), {.after = second});
  EXPECT_THROW(second.wait_until(soon()), timed_out);
  queue.request_stop();
  std::jthread const opener([&] { held.open(); });
  auto const rest = queue.stop();
  auto seen = visits.read();
  for (auto const& one : rest)
    for (std::uint32_t i = 0; i < one.range().count; ++i) ++seen[one.range().first + i];
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, have_run_when_close_returns) {
  row_chain chain(50);
  task_queue queue(first_device(), kernels(), test_options());
  chain.submit(queue, 30);
  queue.close();
  EXPECT_TRUE(chain.is_right());
  queue.start();
  chain.submit(queue, 3);  // after what has run in the run before
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, go_round_more_batch_slots_than_laps_have_numbers) {
  row_chain chain(1);
  auto options = with_capacity(2);
  options.submission_rings = 1;
  if (first_device()->is_cuda()) options.resident.blocks = 3;
  task_queue queue(first_device(), kernels(), options);
  chain.submit(queue, 600).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, on_a_device_of_a_balanced_queue_need_no_host) {
  row_chain chain(30);
  auto options = balanced_options{};
  options.queue = test_options();
  balanced_queue queue(devices(), kernels(), options);
  chain.submit(queue.on(0), 20).wait();
  queue.close();
  EXPECT_TRUE(chain.is_right());
}

TEST(dependent_batches, are_refused_after_what_the_device_cannot_wait_for) {
  gate held(1);
  counted_words const visits(first_device(), 1);
  auto options = test_options();
  options.resident.blocks = first_device()->is_cuda() ? 5 : 1;
  options.start_at_once = false;
  task_queue one(first_device(), kernels(), options), other(first_device(), kernels(), options);
  one.start();
  other.start();
  auto const pending = one.submit(held.holder(0));
  held.await_inside(1);
  auto const all = visits_of(visits.ref(), 1);
  try {
    other.submit(all, {.after = pending});
    ADD_FAILURE() << "another queue's completion was accepted";
  } catch (bad_argument const& refused) { EXPECT_EQ(refused.argument(), "after"); }
  held.open();
  one.close();
  other.submit(all, {.after = pending}).wait();
  other.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, are_refused_where_tasks_may_create_tasks_unless_nothing_is_waited_for) {
  gate held(1);
  counted_words const visits(first_device(), 1);
  task_queue queue(first_device(), spawning_kernels(), test_options());
  auto const pending = queue.submit(held.holder(0));
  held.await_inside(1);
  auto const all = visits_of(visits.ref(), 1);
  EXPECT_THROW(queue.submit(all, {.after = pending}), bad_argument);
  held.open();
  pending.wait();
  queue.submit(all, {.after = pending}).wait();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(dependent_batches, after_what_a_stop_has_kept_from_running_are_refused_for_that_reason) {
  gate held(2);
  counted_words const visits(first_device(), 1);
  task_queue queue(first_device(), kernels(), test_options());
  auto const before = queue.submit(held.holder(0));
  held.await_inside(1);
  auto const never = queue.submit(held.holder(1), {.after = before});
  queue.request_stop();
  std::jthread const opener([&] { held.open(); });
  auto const rest = queue.stop();
  queue.start();
  auto const all = visits_of(visits.ref(), 1);
  if (!rest.empty()) { EXPECT_THROW(queue.submit(all, {.after = never}), stopped); }
  queue.submit(all, {.after = before}).wait();
  queue.close();
  EXPECT_EQ(visits.read().front(), 1u);
}

// On a GPU a fault ends the process's use of the device.
TEST(dependent_batches, never_run_after_a_task_that_failed) {
  if (first_device()->is_cuda()) GTEST_SKIP() << "a trap ends every later test of this process";
  std::uint32_t const n = 10;
  counted_words const visits(first_device(), n);
  task_queue queue(open_devices("host:2").front(), kernels(), test_options());
  auto const doomed = queue.submit(std::vector<task>{task(fail{}), task(fail{})});
  try {
    auto const next = queue.submit(visits_of(visits.ref(), n), {.after = doomed});
    EXPECT_THROW(next.wait(), device_lost);
  } catch (device_lost const&) {}  // seen when it was submitted
  EXPECT_THROW(doomed.wait(), device_lost);
  queue.stop();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(n, 0));
}

}  // namespace
}  // namespace ballast::test

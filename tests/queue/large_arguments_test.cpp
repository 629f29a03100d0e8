// SPDX-License-Identifier: Apache-2.0
// Kernels whose members exceed the 40 bytes of a task: the queue keeps them.

#include <memory>
#include <thread>

#include "ballast/balanced_queue.hpp"
#include "fixture.hpp"
#include "large_kernels.cuh"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// What a task of 4000 bytes takes of options.large_argument_bytes; one of 200 takes 256.
constexpr std::size_t largest = 4032;

queue_options with_bytes(std::size_t bytes) {
  auto options = test_options();
  options.large_argument_bytes = bytes;
  return options;
}

/// So that one task holds back all others.
queue_options with_one_worker(std::size_t bytes) {
  auto options = with_bytes(bytes);
  options.resident.blocks = first_device()->is_cuda() ? 2 : 1;
  return options;
}

task mark_200(shared_visits const& marks, std::uint32_t i, task_cost cost = {}) {
  return task(mark_200_bytes::of(marks.ref(), i), {i, 1}, cost);
}
std::vector<task> marks_200(shared_visits const& marks, std::uint32_t n) {
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i) tasks.push_back(mark_200(marks, i));
  return tasks;
}

struct large_queue : task_queue {
  explicit large_queue(queue_options const& options = test_options())
      : task_queue(first_device(), large_kernels(), options) {}
};

/// A stop ends the first run, and what it hands back is submitted to the second.
template <class Queue>
void expect_each_once_in_two_runs(Queue& queue, std::vector<task> const& all, shared_visits const& marks) {
  queue.submit(all);
  auto const left = queue.stop();
  queue.start();
  queue.submit(left);
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, arrive_whole_with_each_task_which_runs_exactly_once) {
  std::uint32_t const n = 3'000;
  shared_visits const marks(n);
  large_queue queue;
  for (std::uint32_t i = 0; i < n / 2; ++i) queue.submit(mark_200(marks, i));
  auto const all = marks_200(marks, n);
  queue.submit(std::span(all).subspan(n / 2));
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, may_have_4000_bytes) {
  std::uint32_t const n = 300;
  shared_visits const marks(n);
  large_queue queue;
  for (std::uint32_t i = 0; i < n; i += 3) queue.submit(task(mark_4000_bytes::of(marks.ref(), i), {i, 3}));
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, travel_in_one_batch_with_small_ones_grid_tasks_and_costs) {
  std::uint32_t const n = 4'000;
  shared_visits const marks(n);
  std::vector<task> batch;
  for (std::uint32_t i = 0; i < n; i += 10) {
    batch.push_back(mark_200(marks, i, {i}));
    batch.push_back(task(add_one_plainly{marks.ref()}, {i + 1, 2}, {n - i}));
    batch.push_back(grid_task(task(mark_200_bytes::of(marks.ref(), i), {i + 3, 4})));
    batch.push_back(task(mark_4000_bytes::of(marks.ref(), i), {i + 7, 2}));
    batch.push_back(grid_task(task(add_one_plainly{marks.ref()}, {i + 9, 1})));
  }
  large_queue queue;
  queue.submit(batch).wait();
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, of_thousands_of_batches_use_the_same_memory_again) {
  std::uint32_t const n = 5'000;
  shared_visits const marks(n);
  large_queue queue(with_bytes(largest));
  for (std::uint32_t i = 0; i < n; ++i)
    queue.submit(i % 50 == 0 ? task(mark_4000_bytes::of(marks.ref(), i), {i, 1}) : mark_200(marks, i));
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, of_a_batch_that_exceeds_the_memory_follow_one_another) {
  std::uint32_t const n = 2'000;
  shared_visits const marks(n);
  large_queue queue(with_bytes(largest));
  queue.submit(marks_200(marks, n)).wait();
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, wait_for_memory_until_the_deadline_and_say_how_many_tasks_were_accepted) {
  std::uint32_t const n = 20,
                      fit = 12;  // pieces of three: a quarter of the memory, most of which the gate leaves
  shared_visits const marks(n + 1);
  gate held(1);
  large_queue queue(with_one_worker(largest));
  queue.submit(task(wait_with_200_bytes{held.kernel(), {}}));
  held.await_inside(1);
  task const last(mark_4000_bytes::of(marks.ref(), n), {n, 1});
  EXPECT_FALSE(queue.try_submit(last).has_value());
  EXPECT_THROW(queue.submit(last, deadline::in(clock::duration(0))), queue_full);
  auto const all = marks_200(marks, n);
  completion accepted;
  try {
    queue.submit(all, deadline::in(clock::duration(0)));
    ADD_FAILURE() << "so many have no room";
  } catch (queue_full const& full) {
    EXPECT_EQ(full.accepted(), fit);
    EXPECT_NE(full.state().find("bytes are free"), std::string::npos) << full.state();
    accepted = full.accepted_tasks();
  }
  held.open();
  accepted.wait();
  queue.submit(std::span(all).subspan(fit));
  queue.submit(last);
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, leave_all_memory_free_when_their_tasks_have_run) {
  std::uint32_t const rounds = 5, each = 40;
  shared_visits const marks(rounds * (each + 1));
  large_queue queue(with_bytes(largest));
  for (std::uint32_t round = 0; round < rounds; ++round) {
    auto const first = round * (each + 1);
    for (std::uint32_t i = 0; i < each; ++i) queue.submit(mark_200(marks, first + i));
    queue.wait_all();
    EXPECT_TRUE(queue.try_submit(task(mark_4000_bytes::of(marks.ref(), first), {first + each, 1})));
    queue.wait_all();
  }
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, come_from_several_threads) {
  std::uint32_t const threads = 4, each = 1'500;
  shared_visits const marks(threads * each);
  auto options = with_bytes(4 * largest);
  options.submission_rings = 3;
  large_queue queue(options);
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t t = 0; t < threads; ++t)
      submitters.emplace_back([&, t] {
        std::vector<task> batch;
        for (std::uint32_t i = t * each; i < (t + 1) * each; ++i) {
          batch.push_back(mark_200(marks, i));
          if (i % 7 != 0) continue;
          queue.submit(batch);
          batch.clear();
        }
        queue.submit(batch).wait();
      });
  }
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, are_kept_by_tasks_that_were_prepared_and_are_submitted_again) {
  std::uint32_t const n = 500, times = 3;
  shared_visits const marks(n);
  auto const prepared = std::make_unique<prepared_tasks>(large_kernels(), marks_200(marks, n));
  large_queue queue(with_bytes(largest));
  for (std::uint32_t i = 0; i < times; ++i)
    queue.submit(*prepared, 0, n, deadline::in(std::chrono::minutes(1))).wait();
  queue.close();
  EXPECT_EQ(marks.read(), std::vector<std::uint32_t>(n, times));
}

/// Of a queue whose only worker is at a gate.
std::vector<task> stopped_behind(gate& held, large_queue& queue, std::span<task const> tasks) {
  queue.submit(held.holder(0));
  held.await_inside(1);
  queue.submit(tasks);
  queue.request_stop();
  held.open();
  return queue.stop();
}

TEST(large_arguments, are_handed_back_by_a_stop_so_that_their_tasks_can_run_here_or_elsewhere) {
  std::uint32_t const n = 600;
  shared_visits const marks(n);
  auto all = marks_200(marks, n - 100);
  all.push_back(grid_task(task(mark_200_bytes::of(marks.ref(), n), {n - 100, 60})));
  all.push_back(task(mark_4000_bytes::of(marks.ref(), n), {n - 40, 40}));
  gate held(1);
  std::vector<task> left;
  {
    large_queue queue(with_one_worker(1 << 20));
    left = stopped_behind(held, queue, all);
    ASSERT_GT(left.size(), 3u);
    queue.start();
    queue.submit(std::span(left).first(left.size() / 2));
    queue.close();
    left.erase(left.begin(), left.begin() + std::ptrdiff_t(left.size() / 2));
  }
  large_queue other(with_bytes(largest));
  other.submit(left);
  other.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, of_balanced_queues_go_to_whichever_device_has_room) {
  std::uint32_t const n = 3'000;
  shared_visits const marks(n);
  balanced_options options;
  options.queue = with_bytes(largest);
  balanced_queue queue(devices(), large_kernels(), options);
  auto const done = queue.submit(marks_200(marks, n));
  done.wait();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
  queue.close();
}

TEST(large_arguments, of_a_balanced_queue_are_handed_back_whether_a_device_had_them_or_not) {
  std::uint32_t const n = 3'000;
  shared_visits const marks(n);
  balanced_options options;
  options.queue = with_bytes(4 * largest);
  balanced_queue queue(devices(), large_kernels(), options);
  auto all = marks_200(marks, n - 20);
  all.push_back(grid_task(task(mark_200_bytes::of(marks.ref(), n), {n - 20, 20})));
  expect_each_once_in_two_runs(queue, all, marks);
}

TEST(large_arguments, go_to_tasks_that_create_tasks) {
  std::uint32_t const n = 800;
  shared_visits const marks(4 * n);
  task_queue queue(first_device(), large_spawning_kernels(), with_bytes(4 * largest));
  for (std::uint32_t i = 0; i < n; i += 2)
    queue.submit(task(plant_four{mark_200_bytes::of(marks.ref(), i), {0, 1, 2, 3}}, {i, 2}));
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, of_tasks_that_create_tasks_are_handed_back_by_a_stop) {
  std::uint32_t const n = 2'000;
  shared_visits const marks(4 * n);
  task_queue queue(first_device(), large_spawning_kernels(), test_options());
  std::vector<task> all;
  for (std::uint32_t i = 0; i < n; i += 2)
    all.emplace_back(plant_four{mark_200_bytes::of(marks.ref(), i), {0, 1, 2, 3}}, block_range{i, 2});
  expect_each_once_in_two_runs(queue, all, marks);
}

TEST(large_arguments, need_memory_for_the_largest_kernel_of_the_set) {
  auto const refused = [](kernel_set const& set, std::size_t bytes) {
    return refused_argument([&] { task_queue(first_device(), set, with_bytes(bytes)).close(); });
  };
  EXPECT_EQ(refused(large_kernels(), largest - 1), "large_argument_bytes");
  EXPECT_EQ(refused(large_kernels(), (std::size_t(1) << 32) + 1), "large_argument_bytes");
  EXPECT_EQ(refused(large_kernels(), largest), "nothing");
  EXPECT_EQ(refused(kernels(), 1), "nothing");  // which has none of that size
}

TEST(large_arguments, leave_batches_of_some_size_whole) {
  auto const whole = [](queue_options options) {
    options.start_at_once = false;
    return large_queue(options).max_whole_batch();
  };
  EXPECT_EQ(whole(test_options()), (1u << 20) / 4 / largest);
  EXPECT_EQ(whole(with_bytes(largest)), 1u);
}

TEST(large_arguments, are_shared_by_the_copies_of_a_task_and_copied_with_its_record) {
  shared_visits const marks(1);
  std::vector<task> copies(3, mark_200(marks, 7));
  task const other = mark_200(marks, 8);
  EXPECT_EQ(copies[0].arguments().bytes().data(), copies[2].arguments().bytes().data());
  EXPECT_EQ(copies[0].arguments().bytes().size(), 200u);
  EXPECT_FALSE(copies[0].arguments() == other.arguments());
  copies[1] = other;
  EXPECT_EQ(copies[1].arguments(), other.arguments());
  copies[1] = task(add_one_plainly{marks.ref()});
  EXPECT_FALSE(copies[1].arguments().is_shared());
  task const back = task_of(large_kernels(), record_of(large_kernels(), copies[2]));
  EXPECT_EQ(back.arguments(), copies[2].arguments());
  EXPECT_NE(back.arguments().bytes().data(), copies[2].arguments().bytes().data());
}

TEST(large_arguments, go_by_value_with_the_launch_of_a_task) {
  std::uint32_t const n = 30;
  shared_visits const marks(n);
  auto const on = first_device()->make_stream();
  launch(large_kernels(), *on, task(mark_4000_bytes::of(marks.ref(), 5), {0, 20}));
  launch(large_kernels(), *on, task(mark_200_bytes::of(marks.ref(), 6), {20, 10}));
  on->synchronize();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(large_arguments, are_told_by_the_set) {
  auto const all = large_kernels().kernels();
  auto const kept = [](listed_kernel const& kernel) { return kernel.by_reference; };
  EXPECT_EQ(std::ranges::count_if(all, kept), 3);
  EXPECT_FALSE(std::ranges::any_of(kernels().kernels(), kept));
}

}  // namespace
}  // namespace ballast::test

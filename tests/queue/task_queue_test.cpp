// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "fixture.hpp"

namespace ballast::test {
namespace {

TEST(task_queue, executes_each_of_many_tasks_of_one_batch_exactly_once) {
  std::uint32_t const n = 100'000;
  counted_words visits(first_device(), n);
  task_queue queue(first_device(), kernels(), test_options());
  queue.wait(queue.submit(visits_of(visits.ref(), n)));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, executes_each_of_two_million_tasks_exactly_once) {
  std::uint32_t const n = 2'000'000, batch = 50'000;
  counted_words visits(first_device(), n);
  task_queue queue(first_device(), kernels(), test_options());
  for (std::uint32_t first = 0; first < n; first += batch) {
    std::vector<task> tasks;
    for (std::uint32_t i = first; i < first + batch; ++i)
      tasks.emplace_back(count_visit{visits.ref()}, block_range{i, 1});
    queue.submit(tasks);
  }
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, executes_each_task_submitted_one_by_one_exactly_once) {
  std::uint32_t const n = 20'000;
  counted_words visits(first_device(), n);
  task_queue queue(first_device(), kernels(), test_options());
  for (std::uint32_t i = 0; i < n; ++i) queue.submit(task(count_visit{visits.ref()}, {i, 1}));
  queue.wait_all();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
  EXPECT_EQ(queue.statistics().submitted, n);
  EXPECT_EQ(queue.statistics().taken, n);
}

TEST(task_queue, closes_at_once_when_nothing_was_submitted) {
  task_queue queue(first_device(), kernels(), test_options());
  queue.close();
  EXPECT_EQ(queue.statistics().submitted, 0u);
}

TEST(task_queue, finishes_an_empty_batch_at_once) {
  task_queue queue(first_device(), kernels(), test_options());
  auto const nothing = queue.submit(std::span<task const>{});
  EXPECT_TRUE(queue.finished(nothing));
  queue.close();
}

TEST(task_queue, executes_a_single_task) {
  counted_words visits(first_device(), 1);
  task_queue queue(first_device(), kernels(), test_options());
  queue.wait(queue.submit(task(count_visit{visits.ref()})));
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>{1});
  queue.close();
}

TEST(task_queue, executes_every_block_of_a_task_of_many_blocks_once) {
  std::uint32_t const n = 3000;
  counted_words visits(first_device(), n);
  task_queue queue(first_device(), kernels(), test_options());
  queue.submit(task(count_visit{visits.ref()}, {0, 1000}));
  queue.submit(task(count_visit{visits.ref()}, {1000, 2000}));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, mixes_kernel_types_in_one_batch) {
  std::uint32_t const n = 500;
  counted_words visits(first_device(), n), words(first_device(), n * 64);
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i) {
    tasks.emplace_back(add_through_scratch{words.ref(), i}, block_range{i, 1});
    tasks.emplace_back(work_then_count{visits.ref(), i % 7}, block_range{i, 1});
  }
  task_queue queue(first_device(), kernels(), test_options());
  queue.wait(queue.submit(tasks));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  auto const sums = words.read();
  for (std::uint32_t i = 0; i < n * 64; ++i) ASSERT_EQ(sums[i], i / 64) << "word " << i;
}

TEST(task_queue, runs_a_kernel_by_reference_to_its_arguments) {
  counted_words visits(first_device(), 10);
  pinned_buffer<count_visit> arguments(first_device(), 1);
  arguments[0] = count_visit{visits.ref()};
  task_queue queue(first_device(), kernels(), test_options());
  queue.submit(task(by_reference<count_visit>{array_ref<count_visit const>(arguments.data())}, {0, 10}));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, executes_one_giant_task_among_many_tiny_ones) {
  std::uint32_t const n = 20'000;
  counted_words visits(first_device(), n);
  auto tasks = visits_of(visits.ref(), n);
  tasks[0] = task(work_then_count{visits.ref(), 20'000'000}, {0, 1});
  task_queue queue(first_device(), kernels(), test_options());
  queue.wait(queue.submit(tasks));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, accepts_tasks_from_more_threads_than_it_has_lanes) {
  std::uint32_t const threads = 6, each = 5'000;
  counted_words visits(first_device(), threads * each);
  auto options = test_options();
  options.lanes = 3;
  task_queue queue(first_device(), kernels(), options);
  auto const tasks = visits_of(visits.ref(), threads * each);
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t t = 0; t < threads; ++t)
      submitters.emplace_back([&, t] {
        auto const mine = std::span(tasks).subspan(std::size_t(t) * each, each);
        for (std::size_t i = 0; i < each / 2; ++i) queue.submit(mine[i]);
        queue.wait(queue.submit(mine.subspan(each / 2)));
      });
  }
  queue.wait_all();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, works_with_a_capacity_of_two) {
  std::uint32_t const n = 3'000;
  counted_words visits(first_device(), n);
  auto options = test_options();
  options.capacity = 2;
  task_queue queue(first_device(), kernels(), options);
  auto const tasks = visits_of(visits.ref(), n);
  queue.submit(std::span(tasks).first(n / 2));
  for (auto const& one : std::span(tasks).subspan(n / 2)) queue.submit(one);
  queue.wait_all();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, gives_the_same_sums_in_whatever_order_tasks_run) {
  std::uint32_t const n = 64, rounds = 50;
  counted_words words(first_device(), n * 64);
  task_queue queue(first_device(), kernels(), test_options());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<task> tasks;
    for (std::uint32_t i = 0; i < n; ++i)
      tasks.emplace_back(add_through_scratch{words.ref(), round}, block_range{(i * 37 + round) % n, 1});
    queue.wait(queue.submit(tasks));  // a later round sees the results of the earlier one
  }
  queue.close();
  for (auto const sum : words.read()) ASSERT_EQ(sum, rounds * (rounds - 1) / 2);
}

TEST(task_queue, closed_in_the_middle_still_executes_all_that_was_accepted) {
  std::uint32_t const n = 50'000;
  counted_words visits(first_device(), n);
  task_queue queue(first_device(), kernels(), test_options());
  queue.submit(visits_of(visits.ref(), n));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_THROW(queue.submit(task(count_visit{visits.ref()})), error);
}

TEST(task_queue, restarts_without_allocating_anything) {
  std::uint32_t const n = 1'000;
  counted_words visits(first_device(), 4 * n);
  task_queue queue(first_device(), kernels(), test_options());
  auto const allocations = first_device()->allocations();
  for (std::uint32_t run = 0; run < 4; ++run) {
    if (run > 0) queue.start();
    auto const tasks = visits_of(visits.ref(), 4 * n);
    queue.wait(queue.submit(std::span(tasks).subspan(run * n, n)));
    queue.close();
  }
  EXPECT_EQ(first_device()->allocations(), allocations);
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, needs_memory_in_proportion_to_its_capacity) {
  auto const bytes_at = [](std::uint32_t capacity) {
    auto options = test_options();
    options.capacity = capacity;
    task_queue queue(first_device(), kernels(), options);
    queue.close();
    return double(queue.memory_bytes());
  };
  // Beside a part that grows with the number of workers.
  double const small = bytes_at(4096), medium = bytes_at(8192), large = bytes_at(16384);
  EXPECT_NEAR((large - medium) / (medium - small), 2.0, 0.1);
  EXPECT_LT(bytes_at(queue_options{}.capacity), 16e6);
}

TEST(task_queue, refuses_what_it_cannot_run_and_says_what_is_legal) {
  counted_words visits(first_device(), 1);
  task_queue queue(first_device(), kernels(), test_options());
  try {
    queue.submit(task(count_visit{visits.ref()}, {0, 0}));
    FAIL() << "an empty block range was accepted";
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "count");
    EXPECT_EQ(refused.value(), "0");
  }
  struct stranger : count_visit {};
  EXPECT_THROW(queue.submit(task(stranger{count_visit{visits.ref()}})), bad_argument);
  queue.close();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>{0});
}

TEST(task_queue, refuses_options_outside_their_range) {
  auto const refused = [](auto change) {
    auto options = test_options();
    change(options);
    try {
      task_queue queue(first_device(), kernels(), options);
    } catch (bad_argument const& refusal) { return refusal.argument(); }
    return std::string("nothing");
  };
  EXPECT_EQ(refused([](auto& o) { o.capacity = 1; }), "capacity");
  EXPECT_EQ(refused([](auto& o) { o.capacity = 65537; }), "capacity");
  EXPECT_EQ(refused([](auto& o) { o.lanes = 0; }), "lanes");
  EXPECT_EQ(refused([](auto& o) { o.lanes = 33; }), "lanes");
  EXPECT_EQ(refused([](auto& o) { o.resident.blocks = 1 << 20; }), "blocks");
  EXPECT_EQ(refused([](auto& o) { o.resident.blocks = -1; }), "blocks");
}

TEST(task_queue, is_the_only_resident_kernel_of_its_device) {
  task_queue queue(first_device(), kernels(), test_options());
  EXPECT_THROW(task_queue(first_device(), kernels(), test_options()), error);
  queue.close();
  task_queue second(first_device(), kernels(), test_options());
  second.close();
}

TEST(visit_check, sees_a_planted_lost_task_and_a_planted_duplicate) {
  std::uint32_t const n = 1'000;
  counted_words visits(first_device(), n);
  auto tasks = visits_of(visits.ref(), n);
  tasks[17] = tasks[42];
  task_queue queue(first_device(), kernels(), test_options());
  queue.submit(tasks);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), (visit_report{1, 1}));
}

}  // namespace
}  // namespace ballast::test

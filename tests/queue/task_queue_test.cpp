// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <latch>
#include <memory>
#include <thread>

#include "ballast/balanced_queue.hpp"
#include "fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(task_queue, executes_each_task_submitted_one_by_one_exactly_once) {
  std::uint32_t const n = 20'000;
  counted_words visits(first_device(), n);
  task_queue queue(first_device(), kernels(), test_options());
  for (std::uint32_t i = 0; i < n; ++i) queue.submit(task(count_visit{visits.ref()}, {i, 1}));
  queue.wait_all();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  queue.close();
  EXPECT_EQ(queue.statistics().submitted, n);
  EXPECT_EQ(queue.statistics().claimed, n);
}

TEST(task_queue, finishes_an_empty_batch_at_once) {
  task_queue queue(first_device(), kernels(), test_options());
  auto const nothing = queue.submit(std::span<task const>{});
  EXPECT_TRUE(nothing.ready());
  queue.close();
}

TEST(task_queue, runs_an_indirect_kernel) {
  counted_words visits(first_device(), 10);
  pinned_buffer<count_visit> arguments(first_device(), 1);
  arguments[0] = count_visit{visits.ref()};
  task_queue queue(first_device(), kernels(), test_options());
  queue.submit(task(indirect<count_visit>{array_ref<count_visit const>(arguments.data())}, {0, 10}));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(task_queue, accepts_tasks_from_more_threads_than_it_has_submission_rings) {
  std::uint32_t const threads = 6, each = 5'000;
  counted_words visits(first_device(), threads * each);
  auto options = test_options();
  options.submission_rings = 3;
  task_queue queue(first_device(), kernels(), options);
  auto const tasks = visits_of(visits.ref(), threads * each);
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t t = 0; t < threads; ++t)
      submitters.emplace_back([&, t] {
        auto const mine = std::span(tasks).subspan(std::size_t(t) * each, each);
        for (std::size_t i = 0; i < each / 2; ++i) queue.submit(mine[i]);
        queue.submit(mine.subspan(each / 2)).wait();
      });
  }
  queue.wait_all();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

/// A queue of four submission rings, the first of which this thread uses.
class submission_rings : public testing::Test {
 protected:
  static queue_options options() {
    auto options = test_options();
    options.submission_rings = 4;
    return options;
  }
  std::uint32_t ring_of_this_thread() { return queue_.submit(task(count_visit{visits_.ref()})).work().place; }
  /// Those of so many threads that are there at the same time.
  std::vector<std::uint32_t> rings_of(std::uint32_t threads) {
    std::vector<std::uint32_t> rings(threads);
    std::latch all(threads);
    {
      std::vector<std::jthread> submitters;
      for (auto& ring : rings)
        submitters.emplace_back([&] {
          ring = ring_of_this_thread();
          all.arrive_and_wait();
        });
    }
    std::ranges::sort(rings);
    return rings;
  }

  counted_words visits_{first_device(), 1};
  task_queue queue_{first_device(), kernels(), options()};
  std::uint32_t const mine_ = ring_of_this_thread();
};

TEST_F(submission_rings, are_shared_by_no_threads_while_there_are_enough_whoever_came_and_went) {
  EXPECT_EQ(mine_, 0u);
  for (int round = 0; round < 5; ++round) EXPECT_EQ(rings_of(3), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST_F(submission_rings, are_shared_by_as_many_threads_each_where_there_are_more) {
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(rings_of(7), (std::vector<std::uint32_t>{0, 1, 1, 2, 2, 3, 3}));
}

TEST_F(submission_rings, are_left_by_a_thread_that_feeds_too_many_other_queues) {
  queue_.close();
  for (int i = 0; i < 8; ++i)
    task_queue(first_device(), kernels(), options()).submit(task(count_visit{visits_.ref()}));
  queue_.start();
  EXPECT_EQ(rings_of(3), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(rings_of(3), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST_F(submission_rings, are_left_by_threads_that_outlive_their_queue) {
  queue_.close();
  auto queue = std::make_unique<task_queue>(first_device(), kernels(), options());
  std::latch submitted(1), gone(1);
  {
    std::jthread const submitter([&] {
      queue->submit(task(count_visit{visits_.ref()}));
      submitted.count_down();
      gone.wait();
    });
    submitted.wait();
    queue->close();
    queue.reset();
    gone.count_down();
  }
  EXPECT_EQ(visits_.read(), (std::vector<std::uint32_t>{2}));
}

/// Calls at the end of its thread, after what the thread made later is gone.
struct called_at_the_end {
  std::function<void()> call;
  ~called_at_the_end() { call(); }
};

TEST_F(submission_rings, are_there_for_what_a_thread_submits_while_its_objects_end) {
  queue_.close();
  task_queue other(first_device(), kernels(), options());
  std::uint32_t ring = 99;
  std::jthread([&] {
    thread_local called_at_the_end last;
    last.call = [&] { ring = ring_of_this_thread(); };
    other.submit(task(count_visit{visits_.ref()}));
    other.close();
    queue_.start();
  }).join();
  queue_.close();
  EXPECT_EQ(ring, 0u);
  EXPECT_EQ(visits_.read(), (std::vector<std::uint32_t>{3}));
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

TEST(every_kind_of_queue, is_refused_a_device_that_is_null) {
  std::shared_ptr<compute_device> const none;
  EXPECT_EQ(refused_argument([&] { task_queue(none, kernels()); }), "device");
  EXPECT_EQ(refused_argument([&] { balanced_queue({none}, kernels()); }), "devices");
  EXPECT_EQ(refused_argument([&] { balanced_queue({}, kernels()); }), "devices");
  EXPECT_EQ(refused_argument([&] { pinned_buffer<int>(none, 1); }), "device");
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
  EXPECT_EQ(refused([](auto& o) { o.capacity = (1 << 24) + 1; }), "capacity");
  EXPECT_EQ(refused([](auto& o) { o.submission_rings = 0; }), "submission_rings");
  EXPECT_EQ(refused([](auto& o) { o.submission_rings = 32; }), "submission_rings");
  EXPECT_EQ(refused([](auto& o) { o.servers = {1, 0}; }), "servers");
  EXPECT_EQ(refused([](auto& o) { o.servers = {5}; }), "servers");
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

// So many tasks that a thread which submits has its submission ring to itself when another comes.
TEST(task_queue, is_closed_and_started_by_another_thread_than_the_one_that_submits) {
  std::uint32_t const runs = 4, each = 1'000;
  counted_words visits(first_device(), runs * each);
  auto options = test_options();
  options.submission_rings = 1;
  task_queue queue(first_device(), kernels(), options);
  for (std::uint32_t run = 0; run < runs; ++run) {
    for (std::uint32_t i = 0; i < each; ++i)
      queue.submit(task(count_visit{visits.ref()}, {run * each + i, 1}));
    std::thread([&] {
      queue.close();
      if (run + 1 < runs) queue.start();
    }).join();
  }
  EXPECT_THROW(queue.submit(task(count_visit{visits.ref()})), error);
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
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

// SPDX-License-Identifier: Apache-2.0
// Which worker runs a task that the host feeds.

#include <algorithm>
#include <numeric>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "fixture.hpp"
#include "spawning_kernels.cuh"
#include "worker_counts.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// A queue of so many blocks that run tasks; 0: as the tests' options say. It is started when the memory is
/// there that its workers use.
queue_options of_blocks(int blocks) {
  auto options = test_options();
  options.start_at_once = false;
  if (blocks != 0) options.resident.blocks = blocks + (first_device()->is_cuda() ? 1 : 0);  // one serves
  return options;
}

/// What a queue's tasks tell of their workers, which all are held meanwhile.
class told_workers {
 public:
  explicit told_workers(std::size_t tasks) : gate_(tasks), told_(2 * tasks) {}

  task holder(std::uint32_t index) const {
    return task(tell_worker{told_.ref(), gate_.kernel()}, {index, 1});
  }
  void open() { gate_.open(); }
  void await_inside(std::size_t tasks) const { gate_.await_inside(tasks); }

  std::vector<std::uint32_t> indices() const { return every_second(0); }
  std::vector<std::uint32_t> numbers() const { return every_second(1); }

 private:
  std::vector<std::uint32_t> every_second(std::size_t first) const {
    auto const words = told_.read();
    std::vector<std::uint32_t> taken;
    for (std::size_t i = first; i < words.size(); i += 2) taken.push_back(words[i]);
    return taken;
  }

  gate gate_;
  shared_visits told_;
};

/// Lists with and without tasks that create tasks, and queues of one block and of several.
struct worker_of_queue_case {
  kernel_set const& (*list)();
  int blocks;
};
class worker_of_a_queue : public testing::TestWithParam<worker_of_queue_case> {
 protected:
  task_queue queue_{first_device(), GetParam().list(), of_blocks(GetParam().blocks)};
};

TEST_P(worker_of_a_queue, counts_its_tasks_without_atomics_and_the_sum_is_exact) {
  std::uint32_t const tasks = 20'000;
  worker_counts const counts(first_device(), queue_.workers());
  queue_.start();
  std::vector<task> batch;
  for (std::uint32_t i = 0; i < tasks; ++i) batch.emplace_back(entered<64>{counts.ledger()});
  queue_.submit(batch);
  queue_.submit(task(entered<64>{counts.ledger()}, {0, 100}));
  queue_.submit(grid_task(task(entered<64>{counts.ledger()}, {0, 1000})));
  queue_.close();
  counts.expect_entered(tasks + 1100);
  counts.expect_told(queue_.workers());
}

TEST_P(worker_of_a_queue, keeps_its_index_below_the_number_of_workers_where_these_are_more_than_tasks) {
  worker_counts const counts(first_device(), queue_.workers());
  queue_.start();
  queue_.submit(task(entered<64>{counts.ledger()})).wait();
  queue_.close();
  counts.expect_entered(1);
  counts.expect_told(queue_.workers());
}

TEST_P(worker_of_a_queue, has_an_index_of_its_own_while_every_other_runs_a_task_too) {
  auto const workers = queue_.workers();
  told_workers told(workers);
  queue_.start();
  for (std::uint32_t i = 0; i < workers; ++i) queue_.submit(told.holder(i));
  told.await_inside(workers);
  told.open();
  queue_.close();
  auto indices = told.indices();
  std::ranges::sort(indices);
  std::vector<std::uint32_t> each(workers);
  std::iota(each.begin(), each.end(), 0u);
  EXPECT_EQ(indices, each);
  EXPECT_EQ(told.numbers(), std::vector<std::uint32_t>(workers, workers));
}

TEST_P(worker_of_a_queue, goes_on_counting_when_the_queue_starts_again) {
  worker_counts const counts(first_device(), queue_.workers());
  for (std::uint32_t run = 1; run <= 3; ++run) {
    queue_.start();
    queue_.submit(task(entered<64>{counts.ledger()}, {0, 500}));
    queue_.close();
    counts.expect_entered(500 * run);
  }
}

std::string name_of_queue_case(testing::TestParamInfo<worker_of_queue_case> const& info) {
  return info.param.list().name() + (info.param.blocks == 1 ? "_alone" : "");
}

INSTANTIATE_TEST_SUITE_P(lists, worker_of_a_queue,
                         testing::Values(worker_of_queue_case{&kernels, 0}, worker_of_queue_case{&kernels, 1},
                                         worker_of_queue_case{&spawning_kernels, 0},
                                         worker_of_queue_case{&spawning_kernels, 1}),
                         name_of_queue_case);

TEST(worker_of_tasks_that_create_tasks, counts_them_without_atomics_and_the_sum_is_exact) {
  std::uint32_t const trees = 50, nodes = 511;
  task_queue queue(first_device(), spawning_kernels(), of_blocks(0));
  worker_counts const counts(first_device(), queue.workers());
  queue.start();
  for (std::uint32_t i = 0; i < trees; ++i) queue.submit(task(entered_node<64>{counts.ledger(), 0, nodes}));
  queue.close();
  counts.expect_entered(trees * nodes);
  counts.expect_told(queue.workers());
}

TEST(worker_of_tasks_that_create_tasks, is_each_thread_where_kernels_have_one) {
  std::uint32_t const trees = 50, nodes = 511;
  for (int const blocks : {0, 1}) {
    task_queue queue(first_device(), spawning_kernels_of_threads(), of_blocks(blocks));
    std::uint32_t const each = first_device()->is_cuda() ? 32 : 1;
    EXPECT_EQ(queue.workers() % each, 0u);
    EXPECT_TRUE(blocks == 0 || queue.workers() == each);
    worker_counts const counts(first_device(), queue.workers());
    queue.start();
    for (std::uint32_t i = 0; i < trees; ++i) queue.submit(task(entered_node<1>{counts.ledger(), 0, nodes}));
    queue.close();
    counts.expect_entered(trees * nodes);
    counts.expect_told(queue.workers());
  }
}

TEST(worker_of_a_balanced_queue, has_an_index_below_the_number_of_workers_of_its_own_device) {
  balanced_options options;
  options.queue = of_blocks(first_device()->is_cuda() ? 8 : 0);
  std::uint32_t const tasks = 2'000;
  told_workers told(tasks);
  balanced_queue queue(devices(), kernels(), options);
  told.open();
  std::vector<task> batch;
  for (std::uint32_t i = 0; i < tasks; ++i) batch.push_back(told.holder(i));
  queue.submit(batch);
  queue.close();
  std::vector<std::uint32_t> known;
  for (std::size_t device = 0; device < queue.size(); ++device) known.push_back(queue.on(device).workers());
  auto const indices = told.indices(), numbers = told.numbers();
  for (std::uint32_t i = 0; i < tasks; ++i) {
    EXPECT_LT(indices[i], numbers[i]);
    EXPECT_TRUE(std::ranges::count(known, numbers[i]) != 0) << numbers[i];
  }
}

TEST(worker_of_a_balanced_queue, counts_its_tasks_without_atomics_on_one_device) {
  balanced_options options;
  options.queue = of_blocks(0);
  balanced_queue queue({first_device()}, kernels(), options);
  queue.close();
  worker_counts const counts(first_device(), queue.on(0).workers());
  queue.start();
  std::vector<task> const batch(5'000, task(entered<64>{counts.ledger()}));
  queue.submit(batch);
  queue.close();
  counts.expect_entered(batch.size());
  counts.expect_told(queue.on(0).workers());
}

TEST(worker_of_a_chen_queue, counts_its_tasks_without_atomics_and_the_sum_is_exact) {
  chen_options options;
  options.resident.blocks = 2;
  chen_queue queue({first_device()}, kernels(), options);
  worker_counts const counts(first_device(), 2);
  queue.submit(std::vector<task>(2'000, task(entered<64>{counts.ledger()})));
  queue.close();
  counts.expect_entered(2'000);
  counts.expect_told(2);
}

TEST(worker_of_a_launch, is_a_block_of_the_grid) {
  std::uint32_t const blocks = 300;
  worker_counts const counts(first_device(), blocks);
  auto const stream = first_device()->make_stream();
  launch(kernels(), *stream, task(entered<64>{counts.ledger()}, {5, blocks}));
  stream->synchronize();
  counts.expect_entered(blocks);
  counts.expect_told(blocks);
  EXPECT_EQ(counts.by_worker(), std::vector<std::uint64_t>(blocks, 1));
}

}  // namespace
}  // namespace ballast::test

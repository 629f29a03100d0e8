// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "ballast/ballast.hpp"
#include "kernels.hpp"

namespace ballast::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::shared_ptr<compute_device> device() {
  static auto const one = open_devices().front();
  return one;
}

/// Elements that kernels add to.
class sums {
 public:
  explicit sums(std::uint32_t count) : words_(device(), count) { std::ranges::fill(words_.span(), 0u); }

  array_ref<std::uint32_t> ref() { return array_ref(words_.data()); }
  /// What they all are.
  std::uint32_t value() const {
    EXPECT_EQ(std::ranges::count(words_.span(), words_[0]), std::ptrdiff_t(words_.size()));
    return words_[0];
  }

 private:
  pinned_buffer<std::uint32_t> words_;
};

constexpr std::uint32_t blocks = 5;

queue_options two_blocks() {
  queue_options options;
  options.resident.blocks = 2;
  return options;
}

template <std::size_t Bytes = 1>
void add_by_queue(kernel_set const& set, sums& to, std::uint32_t value) {
  task_queue queue(device(), set, two_blocks());
  queue.submit(task(add<64, Bytes>{to.ref(), value, {}}, {0, blocks})).wait();
  queue.close();
}
template <std::size_t Bytes = 1>
void add_by_launch(kernel_set const& set, sums& to, std::uint32_t value) {
  launch_queue queue({device()}, set);
  auto stream = queue.make_launch_stream();
  stream.launch(add<64, Bytes>{to.ref(), value, {}}, blocks).wait();
}
template <std::size_t Bytes = 1>
std::uint32_t sum_by_job(kernel_set const& set, std::uint32_t value) {
  job_scheduler jobs({device()}, set);
  shared_array<std::uint32_t> array(jobs, {blocks});
  std::ranges::fill(array.write(), 0u);
  jobs.submit({blocks}, updates(array), [=](auto to) { return add<64, Bytes>{to, value, {}}; });
  return array(blocks - 1);
}

TEST(kernel_set, of_plain_kernels_serves_queues_launches_and_jobs) {
  sums all(blocks);
  add_by_launch(plain_kernels(), all, 7);
  add_by_queue(plain_kernels(), all, 100);
  EXPECT_EQ(all.value(), 107u);
  EXPECT_EQ(sum_by_job(plain_kernels(), 3), 3u);
  EXPECT_THROW(task_pool(device(), plain_kernels()), error);
}

TEST(kernel_set, of_unequal_threads_serves_launches_and_jobs_and_tells_queues_why_not) {
  sums all(blocks);
  add_by_launch(unequal_kernels(), all, 7);
  EXPECT_EQ(all.value(), 7u);
  EXPECT_EQ(sum_by_job(unequal_kernels(), 3), 3u);
  EXPECT_THAT([] { task_queue(device(), unequal_kernels(), two_blocks()); },
              ThrowsMessage<error>(HasSubstr("have equal threads")));
}

TEST(kernel_set, with_a_kernel_too_large_to_merge_launches_it_alone_and_serves_queues_and_jobs) {
  sums all(blocks);
  add_by_launch(large_kernels(), all, 7);
  add_by_launch<300>(large_kernels(), all, 10);
  add_by_queue<300>(large_kernels(), all, 100);
  EXPECT_EQ(all.value(), 117u);
  EXPECT_EQ(sum_by_job<300>(large_kernels(), 3), 3u);
}

TEST(kernel_set, of_kernels_that_create_tasks_serves_pools_and_queues) {
  pool_options options;
  options.resident.blocks = 2;
  EXPECT_EQ(task_pool(device(), spawning_kernels(), options).run(task(tree_node<false>{6})).run, 63u);
  task_queue queue(device(), spawning_kernels(), two_blocks());
  queue.submit(task(tree_node<false>{6})).wait();
  queue.close();
  EXPECT_EQ(queue.statistics().pool->run, 63u);
}

TEST(kernel_set, of_kernels_that_reduce_serves_pools_alone) {
  pool_options options;
  options.resident.blocks = 2;
  EXPECT_EQ(task_pool(device(), summing_kernels(), options).run(task(tree_node<true>{6})).sum, 63u);
  EXPECT_THROW(task_queue(device(), summing_kernels(), two_blocks()), error);
}

TEST(kernel_set, of_a_kernel_that_prepares_does_so_wherever_it_runs) {
  sums all(blocks);
  auto const work = [&](std::uint32_t value) { return task(add_prepared{all.ref(), value}, {0, blocks}); };
  task_queue queue(device(), preparing_kernels(), two_blocks());
  queue.submit(work(1)).wait();
  queue.close();
  launch_queue launches({device()}, preparing_kernels());
  launches.make_launch_stream().launch(add_prepared{all.ref(), 10}, blocks).wait();
  pool_options options;
  options.resident.blocks = 2;
  task_pool(device(), spawning_kernels(), options).run(work(100));
  EXPECT_EQ(all.value(), 111u);
  job_scheduler jobs({device()}, preparing_kernels());
  shared_array<std::uint32_t> array(jobs, {blocks});
  std::ranges::fill(array.write(), 0u);
  jobs.submit({blocks}, updates(array), [](auto to) { return add_prepared{to, 3}; });
  EXPECT_EQ(array(blocks - 1), 3u);
}

TEST(kernel_set, for_one_use_still_serves_jobs_and_launches_that_are_not_merged) {
  sums all(blocks);
  add_by_launch(kernels_for_queues(), all, 7);
  add_by_launch(kernels_for_nothing(), all, 10);
  EXPECT_EQ(all.value(), 17u);
  EXPECT_EQ(sum_by_job(kernels_for_queues(), 3) + sum_by_job(kernels_for_nothing(), 4), 7u);
  EXPECT_THROW(task_queue(device(), kernels_for_nothing(), two_blocks()), error);
}

TEST(kernel_set, that_lacks_a_kernel_is_named_where_a_cpp_file_launches_it) {
  sums all(blocks);
  launch_queue queue({device()}, summing_kernels());
  auto stream = queue.make_launch_stream();
  EXPECT_THAT(
      [&] {
        stream.launch(add<64>{all.ref(), 1, {}}, 1);
      },
      ThrowsMessage<bad_argument>(testing::AllOf(HasSubstr("summing_kernels"), HasSubstr(".cu file"))));
}

}  // namespace
}  // namespace ballast::test

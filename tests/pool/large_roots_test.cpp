// SPDX-License-Identifier: Apache-2.0
// Roots whose members exceed the 40 bytes of a task: the pool keeps them during a run.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ballast/device.hpp"
#include "large_kernels.cuh"
#include "names_of.hpp"
#include "noting_resource.hpp"
#include "pool_device.hpp"

namespace ballast::test {
using namespace detail;
namespace {

class large_roots_by : public testing::TestWithParam<std::string> {
 protected:
  static constexpr std::uint32_t all_roots = 600, blocks_of_root = 2;

  void SetUp() override {
    stream_->fill(times_.data(), 0, times_.bytes());
    stream_->synchronize();
  }
  template <int Threads>
  std::vector<task> roots(std::uint32_t first, std::uint32_t count) const {
    std::vector<task> all;
    for (std::uint32_t i = first; i < first + count; ++i)
      all.emplace_back(large_root<Threads>::of(array_ref<std::uint32_t>(times_.data()), i),
                       block_range{i * blocks_of_root, blocks_of_root});
    return all;
  }
  task_pool make_pool(kernel_set const& set) const {
    return task_pool(device(), set, pool_by(GetParam(), 1024, 8192));
  }
  /// Of all roots and what they have created.
  void expect_each_once() {
    std::vector<std::uint32_t> times(times_.size());
    stream_->copy(times.data(), times_.data(), times_.bytes());
    stream_->synchronize();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < times.size(); ++i) wrong += times[i] != (i % 5 == 4 ? 4 : 1);
    EXPECT_EQ(wrong, 0u);
  }

 private:
  std::unique_ptr<stream> stream_ = device()->make_stream();
  device_buffer<std::uint32_t> times_{device(), all_roots* blocks_of_root* large_root<64>::words_of_block};
};
std::string letters_of(testing::TestParamInfo<std::string> const& method) {
  auto name = method.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(methods, large_roots_by, testing::ValuesIn(names_of(pool_methods())), letters_of);

TEST_P(large_roots_by, arrive_whole_and_create_tasks_and_joins) {
  auto pool = make_pool(large_roots_of_blocks());
  pool.run(roots<64>(0, 10));
  pool.run(roots<64>(10, all_roots - 10));
  expect_each_once();
}

TEST_P(large_roots_by, arrive_whole_where_each_thread_is_a_worker) {
  auto pool = make_pool(large_roots_of_threads());
  EXPECT_EQ(pool.run(roots<1>(0, all_roots)).joins, all_roots * blocks_of_root);
  expect_each_once();
}

TEST_P(large_roots_by, of_a_run_that_stopped_are_handed_back_and_run_in_the_next) {
  auto pool = make_pool(large_roots_of_blocks());
  std::vector<task> left = roots<64>(0, all_roots);
  try {
    pool.run(left, deadline::in(clock::duration(0)));
    left.clear();
  } catch (pool_stopped const& stopped) { left = stopped.unexecuted(); }
  pool.run(left);
  expect_each_once();
}

/// Its kernel outlasts every timeout, and reads its members when the second run was refused.
TEST_P(large_roots_by, keep_their_members_from_a_run_that_is_refused_because_they_have_not_ended) {
  if (device()->is_cuda()) GTEST_SKIP() << "the gate is for cores";
  std::uint32_t running = 0, gate = 0, answer = 0;
  auto const root = [&](std::uint32_t word) {
    gated_large_root made{array_ref(&running), array_ref(&gate), array_ref(&answer), {}};
    std::ranges::fill(made.words, word);
    return task(made);
  };
  auto options = pool_by(GetParam());
  options.resident.stop_timeout = std::chrono::milliseconds(5);
  task_pool pool(device(), gated_large_roots(), options);
  bool outlasts = false;
  for (auto timeout = std::chrono::milliseconds(50); !outlasts; timeout *= 2) {
    try {
      pool.run(std::vector<task>{root(1)}, deadline::in(timeout));
      FAIL() << "nobody opened the gate";
    } catch (pool_stopped const&) {  // the deadline passed before the task began
    } catch (timed_out const&) { outlasts = true; }
  }
  EXPECT_THROW(pool.run(root(2)), error);
  std::atomic_ref(gate).store(1);
  auto const limit = deadline::in(std::chrono::minutes(1));
  while (std::atomic_ref(answer).load() == 0 && !limit.passed()) std::this_thread::yield();
  EXPECT_EQ(std::atomic_ref(answer).load(), 1u);
  for (bool refused = true; refused;) {
    ASSERT_FALSE(limit.passed());
    try {
      pool.run(root(3));
      refused = false;
    } catch (error const&) { std::this_thread::yield(); }
  }
}

TEST(large_roots, have_room_made_for_them_only_where_they_are_more_than_before) {
  auto const resource = std::make_shared<noting_resource>("host:1");
  task_pool pool(open_devices("host:1", {.memory = resource}), gated_large_roots(), {});
  std::uint32_t running = 0, gate = 1, answer = 0;
  gated_large_root const root{array_ref(&running), array_ref(&gate), array_ref(&answer), {}};
  auto const loans_of_a_run_of = [&](std::size_t roots) {
    auto const before = resource->loans();
    pool.run(std::vector(roots, task(root)));
    return resource->loans() - before;
  };
  EXPECT_EQ(loans_of_a_run_of(16), 0u) << "as many as there is room for at first";
  EXPECT_GT(loans_of_a_run_of(17), 0u);
  EXPECT_EQ(loans_of_a_run_of(17), 0u);
  EXPECT_EQ(running, 16 + 17 + 17u);
}

}  // namespace
}  // namespace ballast::test

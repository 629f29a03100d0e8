// SPDX-License-Identifier: Apache-2.0
// Several resident kernels on one device, of queues and of pools. All memory is made before one starts.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

#include "ballast/detail/queue/ring_source.cuh"
#include "ballast/task_pool.hpp"
#include "complaint.hpp"
#include "fixture.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The blocks of a kernel with one worker, beside a GPU's server.
int one_worker() { return first_device()->is_cuda() ? 2 : 1; }

/// Made and not started. `blocks` 0 is what is left.
queue_options not_started(int blocks) {
  queue_options options;
  options.timeout = std::chrono::minutes(2);
  options.resident.blocks = blocks;
  options.start_at_once = false;
  return options;
}

pool_options pool_of(int blocks) {
  pool_options options;
  options.resident.blocks = blocks;
  return options;
}

/// All that the device holds, of a queue or a pool of the list.
template <class Source>
int whole_device(kernel_set const& list) {
  auto const& device = *first_device();
  auto const each =
      first_device()->resources(list.entry_for(entry_key_of<Source>).code).blocks_per_multiprocessor;
  return each * device.properties().multiprocessors;
}

struct side_by_side : testing::Test {
  void SetUp() override {
    if (first_device()->properties().multiprocessors < 2) GTEST_SKIP() << "needs two cores";
  }
};

TEST_F(side_by_side, a_queue_and_a_pool_on_one_device_run_each_task_exactly_once) {
  std::uint32_t const n = 500, nodes = 255, runs = 5;
  shared_visits visits(n * (runs + 1)), marks(std::size_t(nodes) * runs);
  task_queue queue(first_device(), kernels(), not_started(one_worker()));
  task_pool pool(first_device(), spawning_kernels(), pool_of(one_worker()));
  queue.start();
  auto const all = visits_of(visits.ref(), n * (runs + 1));
  for (std::uint32_t run = 0; run < runs; ++run) {
    queue.submit(std::span(all).subspan(run * n, n));
    pool.run(task(grow_tree{marks.ref(), nodes}, {run, 1}));
  }
  queue.submit(std::span(all).subspan(runs * n));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
  EXPECT_FALSE(first_device()->has_resident());
}

TEST_F(side_by_side, two_queues_run_each_task_exactly_once_and_start_again_one_by_one) {
  std::uint32_t const n = 500, runs = 3;
  shared_visits visits(2 * n * runs);
  task_queue first(first_device(), kernels(), not_started(one_worker()));
  task_queue second(first_device(), spawning_kernels(), not_started(one_worker()));
  auto const all = visits_of(visits.ref(), 2 * n * runs);
  first.start();
  for (std::uint32_t run = 0; run < runs; ++run) {
    second.start();
    first.submit(std::span(all).subspan(2 * run * n, n));
    second.submit(std::span(all).subspan((2 * run + 1) * n, n));
    second.close();
    EXPECT_TRUE(first.running());
  }
  first.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_F(side_by_side, one_too_many_is_refused_with_the_names_of_those_that_have_room_until_one_has_ended) {
  shared_visits visits(2), marks(15);
  bool const on_gpu = first_device()->is_cuda();
  // Of two kernels with blocks of two warps an SM of a GPU has one place less.
  auto const fragmented = on_gpu ? first_device()->properties().multiprocessors : 0;
  auto const rest = whole_device<ring_source_ref>(kernels()) - one_worker() - fragmented;
  task_queue one(first_device(), kernels(), not_started(one_worker()));
  task_queue other(first_device(), kernels(), not_started(rest));
  task_queue late(first_device(), kernels(), not_started(one_worker()));
  task_pool pool(first_device(), spawning_kernels(), pool_of(0));
  one.start();
  other.start();
  // A GPU's servers have rooms of their own.
  int const server = on_gpu ? 1 : 0;
  auto const names = (on_gpu ? "beside the server of set kernels (1 block), " : std::string("beside ")) +
                     "the resident kernel of set kernels (" + std::to_string(one_worker() - server);
  auto const other_name = "the resident kernel of set kernels (" + std::to_string(rest - server);
  EXPECT_THAT(complaint([&] { late.start(); }),
              AllOf(HasSubstr("there is room for 0"), HasSubstr(names), HasSubstr(other_name)));
  auto const root = task(grow_tree{marks.ref(), 15});
  EXPECT_THAT(complaint([&] { pool.run(root); }),
              AllOf(HasSubstr("no room for the resident kernel of set spawning_kernels"), HasSubstr(names),
                    HasSubstr(on_gpu ? "at least 2 blocks" : "at least 1 block")));
  EXPECT_FALSE(late.running());
  EXPECT_EQ(describe_resident_holder(*first_device()).find("spawning_kernels"), std::string::npos);
  other.submit(task(count_visit{visits.ref()}, {0, 1}));
  other.close();
  late.start();
  late.submit(task(count_visit{visits.ref()}, {1, 1}));
  late.close();
  pool.run(root);
  one.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST_F(side_by_side, what_is_destroyed_leaves_its_room_to_the_next) {
  shared_visits visits(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    auto options = not_started(whole_device<ring_source_ref>(kernels()));
    options.start_at_once = true;
    task_queue queue(first_device(), kernels(), options);
    queue.submit(task(count_visit{visits.ref()}, {i, 1})).wait();
  }
  EXPECT_FALSE(first_device()->has_resident());
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_F(side_by_side, queues_that_take_turns_may_each_have_the_whole_device) {
  shared_visits visits(4);
  task_queue first(first_device(), kernels(), not_started(0)),
      second(first_device(), kernels(), not_started(0));
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    auto& queue = turn % 2 == 0 ? first : second;
    queue.start();
    queue.submit(task(count_visit{visits.ref()}, {turn, 1}));
    queue.close();
  }
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

/// What was in the stacks of workers that a run had, and the next one lacks, is handed back once.
TEST_F(side_by_side, a_queue_whose_tasks_create_tasks_hands_each_back_once_when_its_next_run_has_less_room) {
  std::uint32_t const trees = 200, nodes = 1023;
  shared_visits marks(std::size_t(trees) * nodes);
  task_queue queue(first_device(), spawning_kernels(), not_started(0));
  task_queue other(first_device(), kernels(), not_started(one_worker()));
  queue.start();
  auto const first = queue.submit(task(grow_tree{marks.ref(), nodes}, {0, 1}));
  for (std::uint32_t i = 1; i < trees; ++i) queue.submit(task(grow_tree{marks.ref(), nodes}, {i, 1}));
  first.wait();  // now all workers are somewhere in a tree
  auto left = queue.stop();
  other.start();
  for (int run = 0; run < 20 && !left.empty(); ++run) {
    queue.start();
    queue.submit(left);
    left = queue.stop();
  }
  other.close();
  queue.start();
  if (!left.empty()) queue.submit(left);
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

/// What each of two processes does with the whole device: 20 times 500 tasks.
void run_every_task_exactly_once(task_queue& queue, shared_visits& visits) {
  std::uint32_t const n = 500;
  auto const all = visits_of(visits.ref(), std::uint32_t(visits.read().size()));
  for (std::uint32_t first = 0; first < all.size(); first += n)
    queue.submit(std::span(all).subspan(first, n)).wait();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(two_processes, DISABLED_the_other) {
  shared_visits visits(10'000);
  task_queue queue(first_device(), kernels());
  run_every_task_exactly_once(queue, visits);
  queue.close();
}

/// A GPU without MPS gives each of its processes the whole chip in turns, resident kernels included.
TEST(two_processes, each_run_every_task_exactly_once_on_one_device) {
  shared_visits visits(10'000);
  task_queue queue(first_device(), kernels());
  auto const other = "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX " +
                     std::filesystem::read_symlink("/proc/self/exe").string() +
                     " --gtest_also_run_disabled_tests --gtest_filter=two_processes.DISABLED_the_other 2>&1";
  auto* const said_by_the_other = popen(other.c_str(), "r");
  ASSERT_NE(said_by_the_other, nullptr);
  run_every_task_exactly_once(queue, visits);
  std::string said;
  for (char line[256]; std::fgets(line, sizeof(line), said_by_the_other) != nullptr;) said += line;
  EXPECT_EQ(pclose(said_by_the_other), 0) << said;
  EXPECT_THAT(said, HasSubstr("[  PASSED  ] 1 test"));
  EXPECT_TRUE(queue.running());
  queue.close();
}

}  // namespace
}  // namespace ballast::test

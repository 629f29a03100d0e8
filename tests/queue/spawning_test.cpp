// SPDX-License-Identifier: Apache-2.0
// Tasks that the host feeds and that create tasks on the device.
#include <algorithm>
#include <thread>

#include "ballast/balanced_queue.hpp"
#include "ballast/device.hpp"
#include "fixture.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

/// Trees of equal size, one after another in pinned memory; a batch names some of them.
struct forest {
  forest(std::uint32_t trees, std::uint32_t of_each) : nodes(of_each), marks(std::size_t(trees) * of_each) {}

  task tree(std::uint32_t i) const { return trees_of({i, 1}); }
  task trees_of(block_range range) const { return task(grow_tree{marks.ref(), nodes}, range); }
  std::vector<task> trees(std::uint32_t first, std::uint32_t count) const {
    std::vector<task> all;
    for (std::uint32_t i = first; i < first + count; ++i) all.push_back(tree(i));
    return all;
  }
  visit_report report() const { return check_visits(marks.read()); }

  std::uint32_t nodes;
  shared_visits marks;
};

struct spawning_queue : task_queue {
  explicit spawning_queue(queue_options const& options = test_options())
      : task_queue(first_device(), spawning_kernels(), options) {}
};

queue_options with_room_for(std::uint32_t tasks) {
  auto options = test_options();
  options.spawned.capacity = tasks;
  return options;
}

TEST(tasks_that_create_tasks, run_with_all_that_came_of_them_exactly_once) {
  forest const trees(300, 511);
  spawning_queue queue;
  queue.submit(trees.trees(0, 300));
  queue.close();
  EXPECT_EQ(trees.report(), exactly_once);
}

TEST(tasks_that_create_tasks, complete_their_batch_when_all_that_came_of_them_has_run) {
  forest const trees(400, 63);
  spawning_queue queue;
  for (std::uint32_t first = 0, count = 1; first < 400; first += count, count = count % 5 + 1) {
    count = std::min(count, 400 - first);
    queue.submit(trees.trees(first, count)).wait();
    auto const marks = trees.marks.read();
    auto const end = marks.begin() + std::ptrdiff_t(first + count) * trees.nodes;
    ASSERT_EQ(std::count(marks.begin(), end, 1u), end - marks.begin()) << "after tree " << first;
  }
  queue.close();
  EXPECT_EQ(trees.report(), exactly_once);
}

TEST(tasks_that_create_tasks, are_fed_by_several_threads_that_also_wait) {
  std::uint32_t const threads = 4, each = 250;
  forest const trees(threads * each, 31);
  spawning_queue queue;
  {
    std::vector<std::jthread> submitters;
    for (std::uint32_t t = 0; t < threads; ++t)
      submitters.emplace_back([&, t] {
        for (std::uint32_t i = 0; i < each / 2; ++i) queue.submit(trees.tree(t * each + i));
        queue.submit(trees.trees(t * each + each / 2, each / 2)).wait();
      });
  }
  queue.close();
  EXPECT_EQ(trees.report(), exactly_once);
}

TEST(tasks_that_create_tasks, run_one_giant_tree_among_many_tiny_ones) {
  forest const giant(1, 200'000), tiny(3'000, 1);
  spawning_queue queue;
  queue.submit(tiny.trees(0, 1'500));
  queue.submit(giant.tree(0));
  queue.submit(tiny.trees(1'500, 1'500));
  queue.close();
  EXPECT_EQ(giant.report(), exactly_once);
  EXPECT_EQ(tiny.report(), exactly_once);
}

TEST(tasks_that_create_tasks, may_have_many_blocks_and_be_grid_tasks) {
  forest const trees(1'000, 31);
  spawning_queue queue;
  queue.submit(trees.trees_of({0, 400}));
  queue.submit(grid_task(trees.trees_of({400, 600})));
  queue.close();
  EXPECT_EQ(trees.report(), exactly_once);
}

TEST(tasks_that_create_tasks, go_through_the_smallest_ring) {
  auto options = test_options();
  options.capacity = 2;
  forest const trees(500, 15);
  spawning_queue queue(options);
  queue.submit(trees.trees(0, 200));
  queue.submit(grid_task(trees.trees_of({200, 300})));
  queue.close();
  EXPECT_EQ(trees.report(), exactly_once);
}

TEST(tasks_that_create_tasks, are_stolen_by_workers_that_have_none) {
  pinned_buffer<std::uint32_t> here(first_device(), 2);
  std::ranges::fill(here.span(), 0u);
  spawning_queue queue;
  queue.submit(task(let_two_meet{array_ref<std::uint32_t>(here.data())})).wait();
  queue.close();
  auto const did = queue.statistics().pool;
  ASSERT_TRUE(did.has_value());
  EXPECT_GE(did->steals_won, 1u);
  EXPECT_EQ(did->run, 3u);
}

TEST(tasks_that_create_tasks, and_are_held_up_hold_up_nothing_that_the_host_submits_meanwhile) {
  gate held(1);
  forest const trees(50, 7);
  spawning_queue queue;
  queue.submit(task(send_to_gate{held.kernel()}));
  held.await_inside(1);
  for (std::uint32_t i = 0; i < 50; ++i) queue.submit(trees.tree(i)).wait();
  EXPECT_EQ(trees.report(), exactly_once);
  held.open();
  queue.close();
}

// While the thief's worker holds the last, the other has finished all that it counted: the batch looks
// complete if tasks were stolen that nobody had counted.
TEST(tasks_that_create_tasks, are_counted_before_others_can_steal_them) {
  pinned_buffer<std::uint32_t> words(first_device(), 4);
  std::ranges::fill(words.span(), 0u);
  auto const heard = [&](std::size_t word) { return system_word(words[word]).load_acquire() != 0; };
  forest const tiny(1, 1);
  spawning_queue queue;
  auto const batch = queue.submit(task(steal_and_wait{array_ref<std::uint32_t>(words.data())}));
  auto const until = deadline::in(std::chrono::minutes(1));
  while (!(heard(1) && heard(2)) && !until.passed()) std::this_thread::yield();
  queue.submit(tiny.tree(0)).wait();
  EXPECT_FALSE(batch.ready());
  system_word(words[3]).store_release(1);
  batch.wait();
  queue.close();
}

TEST(tasks_that_create_tasks, more_than_their_kernel_declares_stop_the_queue_and_complete_no_batch) {
  shared_visits const marks(4);
  spawning_queue queue;
  auto const batch = queue.submit(task(exceed_spawns{marks.ref()}));
  EXPECT_THROW(batch.wait(), stopped);
  EXPECT_THROW(queue.close(), stopped);
  EXPECT_THROW(batch.wait(), stopped) << "it never will have run";
  queue.start();
  queue.close();
}

TEST(tasks_that_create_tasks, and_have_all_run_are_complete_though_the_queue_was_stopped) {
  gate held(1);
  spawning_queue queue;
  auto const batch = queue.submit(held.holder(0));
  held.await_inside(1);
  queue.request_stop();
  held.open();
  EXPECT_TRUE(queue.stop().empty());
  EXPECT_TRUE(batch.ready());
}

TEST(tasks_that_create_tasks, keep_their_joins_through_a_run_in_which_nothing_ran) {
  std::uint32_t const roots = 40, depth = 10;
  shared_visits const answers(roots);
  spawning_queue queue;
  queue.submit(grid_task(task(count_leaves{answers.ref(), depth, {}}, {0, roots})));
  auto const rest = queue.stop();
  queue.start();
  queue.stop();
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(answers.read(), std::vector<std::uint32_t>(roots, 1u << depth));
}

TEST(tasks_that_create_tasks, join_what_their_children_found) {
  std::uint32_t const roots = 50, depth = 8;
  shared_visits const answers(roots);
  spawning_queue queue;
  queue.submit(grid_task(task(count_leaves{answers.ref(), depth, {}}, {0, roots})));
  queue.close();
  EXPECT_EQ(answers.read(), std::vector<std::uint32_t>(roots, 1u << depth));
  EXPECT_EQ(queue.statistics().pool->joins, roots * ((1u << depth) - 1));
}

TEST(tasks_that_create_tasks, may_be_indirect_kernels) {
  std::uint32_t const nodes = 101;
  shared_visits const marks(nodes);
  pinned_buffer<grow_comb> comb(first_device(), 1);
  comb[0] = {marks.ref(), nodes};
  spawning_queue queue;
  queue.submit(task(indirect<grow_comb>{array_ref<grow_comb const>(comb.data())}));
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(tasks_that_create_tasks, may_make_joins_in_indirect_kernels) {
  std::uint32_t const depth = 3;
  shared_visits const answers(1);
  pinned_buffer<count_leaves> tree(first_device(), 1);
  tree[0] = {answers.ref(), depth, {}};
  spawning_queue queue;
  queue.submit(task(indirect<count_leaves>{array_ref<count_leaves const>(tree.data())}));
  queue.close();
  EXPECT_EQ(answers.read(), std::vector<std::uint32_t>(1, 1u << depth));
}

TEST(tasks_that_create_tasks, are_counted_and_the_counts_add_up) {
  forest const trees(200, 127);
  spawning_queue queue;
  queue.submit(trees.trees(0, 200));
  EXPECT_FALSE(queue.statistics().pool.has_value());
  queue.close();
  auto const all = queue.statistics();
  EXPECT_EQ(all.submitted, 200u);
  ASSERT_TRUE(all.pool.has_value());
  EXPECT_EQ(all.pool->created, 200u * 127);
  EXPECT_EQ(all.pool->run, all.pool->created);
  EXPECT_LE(all.pool->steals_won, all.pool->steals_tried);
  std::uint64_t run = 0;
  for (auto const& worker : all.pool->workers) run += worker.run;
  EXPECT_EQ(run, all.pool->run);
}

TEST(tasks_that_create_tasks, stopped_in_the_middle_hand_back_what_did_not_run) {
  forest const trees(20, 20'001);
  spawning_queue queue;
  queue.submit(trees.trees(0, 20));
  while (system_word(trees.marks.ref()[20]).load_relaxed() == 0 && queue.running()) std::this_thread::yield();
  queue.request_stop();
  try {
    queue.wait_all();  // a fast machine may have finished all of it
  } catch (stopped const&) {}
  auto const rest = queue.stop();
  EXPECT_EQ(trees.report().duplicated, 0u);
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(trees.report(), exactly_once) << rest.size() << " handed back";
}

TEST(tasks_that_create_tasks, and_wait_for_children_go_on_after_several_stops) {
  std::uint32_t const roots = 40, depth = 10;
  shared_visits const answers(roots);
  spawning_queue queue;
  queue.submit(grid_task(task(count_leaves{answers.ref(), depth, {}}, {0, roots})));
  for (int stops = 0; stops < 4; ++stops) {
    queue.request_stop();
    auto const rest = queue.stop();
    queue.start();
    queue.submit(rest);
  }
  queue.close();
  EXPECT_EQ(answers.read(), std::vector<std::uint32_t>(roots, 1u << depth));
}

/// One worker, and the server on a GPU.
queue_options lonely(std::uint32_t capacity) {
  auto options = with_room_for(capacity);
  options.resident.blocks = first_device()->is_cuda() ? 2 : 1;
  return options;
}

TEST(tasks_that_create_tasks, for_whose_children_there_is_no_room_stop_the_queue_and_none_is_lost) {
  std::uint32_t const nodes = 2'001;
  shared_visits const marks(nodes);
  std::vector<task> rest;
  {
    spawning_queue queue(lonely(8));
    queue.submit(task(grow_comb{marks.ref(), nodes}));
    try {
      queue.close();
      ADD_FAILURE() << "a thousand tasks found room for 8";
    } catch (stopped const& stop) {
      EXPECT_NE(std::string(stop.what()).find("`spawned.capacity`"), std::string::npos) << stop.what();
    }
    rest = queue.stop();
  }
  EXPECT_GT(rest.size(), 8u);
  spawning_queue queue(lonely(4'096));
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(marks.read()), exactly_once);
}

TEST(tasks_that_create_tasks, cannot_be_timed_or_traced) {
  auto timed = test_options(), traced = test_options();
  timed.times = true;
  traced.trace_depth = 1;
  EXPECT_THROW(spawning_queue{timed}, bad_argument);
  EXPECT_THROW(spawning_queue{traced}, bad_argument);
  EXPECT_THROW(spawning_queue{with_room_for(7)}, bad_argument);
}

TEST(tasks_that_create_tasks, end_with_their_queue_when_no_task_came_for_idle_timeout) {
  auto options = test_options();
  options.resident.idle_timeout = std::chrono::milliseconds(200);
  forest const trees(3, 1'000);
  spawning_queue queue(options);
  queue.submit(trees.trees(0, 3)).wait();
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.running() && !until.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(queue.running());
  EXPECT_TRUE(queue.stop().empty());
  EXPECT_EQ(trees.report(), exactly_once);
}

TEST(tasks_that_create_tasks, also_run_in_a_pool_of_the_default_method) {
  forest const trees(1, 1'000);
  pool_options options;
  options.resident = test_options().resident;
  task_pool(first_device(), spawning_kernels(), options).run(trees.tree(0));
  EXPECT_EQ(trees.report(), exactly_once);
  options.method = "abp";
  EXPECT_THROW(task_pool(first_device(), spawning_kernels(), options), error);
}

TEST(tasks_that_create_tasks, are_balanced_over_every_device) {
  forest const trees(500, 255);
  balanced_options options;
  options.queue = test_options();
  balanced_queue queue(devices(), spawning_kernels(), options);
  queue.submit(trees.trees(0, 500));
  queue.close();
  EXPECT_EQ(trees.report(), exactly_once);
}

}  // namespace
}  // namespace ballast::test

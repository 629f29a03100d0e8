// SPDX-License-Identifier: Apache-2.0
#include "ballast/task_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "ballast/detail/pool/record_slot.cuh"
#include "ballast/device.hpp"
#include "pool_device.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;

TEST(task_pool, refuses_an_unknown_method_and_tells_the_known_ones) {
  try {
    task_pool pool(device(), tree_kernels_of_warps(), pool_by("luck"));
    FAIL() << "luck is no method";
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "method");
    for (auto const& method : pool_methods())
      EXPECT_NE(refused.legal().find(method.name), std::string::npos) << refused.legal();
  }
}

TEST(task_pool, refuses_a_method_that_its_list_was_compiled_without_and_says_how_to_compile_it) {
  EXPECT_EQ(task_pool(device(), kernels_of_the_default_method(), pool_by("chunks")).run(task(idler{})).run,
            1u);
  auto others = pool_methods();
  others.erase(others.begin());
  for (auto const& method : others) {
    try {
      task_pool pool(device(), kernels_of_the_default_method(), pool_by(method.name));
      ADD_FAILURE() << method.name << " was not compiled";
    } catch (error const& refused) {
      std::string const what = refused.what();
      EXPECT_NE(what.find("without the pool method " + std::string(method.name)), std::string::npos) << what;
      EXPECT_NE(what.find("for_pool_methods"), std::string::npos) << what;
    }
  }
}

TEST(task_pool, refuses_a_capacity_outside_its_range) {
  for (std::uint32_t const capacity : {0u, 7u, (1u << 20) + 1})
    EXPECT_THROW(task_pool(device(), tree_kernels_of_warps(), pool_by("chunks", capacity)), bad_argument);
}

TEST(task_pool, refuses_a_root_that_is_not_in_its_list_and_a_grid_task) {
  task_pool pool(device(), tree_kernels_of_warps(), pool_by("chunks"));
  EXPECT_THROW(pool.run(task(tree_node<64>{})), bad_argument);
  EXPECT_THROW(pool.run(grid_task(task(tree_node<32>{}))), bad_argument);
}

TEST(task_pool, ends_the_run_of_a_kernel_that_creates_more_tasks_than_it_declares) {
  for (auto const& method : pool_methods()) {
    task_pool pool(device(), lying_kernels(), pool_by(method.name));
    try {
      pool.run(task(liar{}));
      ADD_FAILURE() << method.name << " believed the liar";
    } catch (pool_stopped const& stopped) {
      EXPECT_NE(std::string(stopped.what()).find("spawns"), std::string::npos) << stopped.what();
    }
  }
}

TEST(task_pool, ends_the_run_of_a_kernel_that_creates_a_task_of_no_blocks_or_of_too_many) {
  for (auto const& method : pool_methods())
    for (std::uint32_t const blocks : {0u, 1u << 24, (1u << 25) + 3}) {
      task_pool pool(device(), stray_kernels(), pool_by(method.name));
      try {
        pool.run(task(stray{blocks}));
        ADD_FAILURE() << method.name << " created a task of " << blocks << " blocks";
      } catch (pool_stopped const& stopped) {
        EXPECT_NE(std::string(stopped.what()).find("16777215 blocks"), std::string::npos) << stopped.what();
        EXPECT_EQ(stopped.statistics().run, 1u) << method.name;
      }
      EXPECT_EQ(pool.run(task(stray{5})).run, 2u) << method.name;
    }
}

TEST(task_pool, ends_the_run_of_a_kernel_that_makes_more_joins_than_it_declares) {
  pinned_buffer<std::uint64_t> answer(device(), 1);
  for (auto const& method : pool_methods()) {
    task_pool pool(device(), overjoining_kernels(), pool_by(method.name));
    try {
      pool.run(task(overjoiner{array_ref(answer.data())}));
      ADD_FAILURE() << method.name << " believed it";
    } catch (pool_stopped const& stopped) {
      EXPECT_NE(std::string(stopped.what()).find("more joins"), std::string::npos) << stopped.what();
    }
  }
}

/// Tasks of which each waits for a gate, on cores.
class gated_pool : public testing::Test {
 protected:
  void SetUp() override {
    if (device()->is_cuda()) GTEST_SKIP() << "the gate is for cores";
  }
  task waiting() { return task(gated{array_ref(&running_), array_ref(&gate_)}); }
  void await_running() {
    auto const limit = deadline::in(std::chrono::minutes(1));
    while (std::atomic_ref(running_).load() == 0 && !limit.passed()) std::this_thread::yield();
  }
  void open_gate() { std::atomic_ref(gate_).store(1); }
  static void await_end_of_last_run(task_pool& pool) {
    auto const limit = deadline::in(std::chrono::minutes(1));
    for (bool refused = true; refused && !limit.passed();) {
      try {
        pool.run(task(idler{}));
        refused = false;
      } catch (error const&) { std::this_thread::yield(); }
    }
  }

  std::uint32_t running_ = 0, gate_ = 0;
};

TEST_F(gated_pool, hands_back_what_is_left_if_its_deadline_passes_while_tasks_run) {
  for (auto const& method : pool_methods()) {
    running_ = gate_ = 0;
    task_pool pool(device(), gated_kernels(), pool_by(method.name));
    auto const until = deadline::in(std::chrono::milliseconds(20));
    std::thread late([&] {
      while (!until.passed()) std::this_thread::yield();
      open_gate();
    });
    std::uint64_t run = 0;
    std::vector<task> left(5, waiting());
    try {
      run = pool.run(left, until).run;
      left.clear();
    } catch (pool_stopped const& stopped) {
      run = stopped.statistics().run;
      left = stopped.unexecuted();
      EXPECT_EQ(stopped.statistics().created, run + left.size()) << method.name;
    }
    late.join();
    EXPECT_EQ(run + pool.run(left).run, 10u) << method.name;
  }
}

TEST_F(gated_pool, refuses_a_second_thread) {
  for (auto const& method : pool_methods()) {
    running_ = gate_ = 0;
    task_pool pool(device(), gated_kernels(), pool_by(method.name));
    std::thread first([&] { EXPECT_EQ(pool.run(waiting()).run, 2u); });
    await_running();
    EXPECT_THROW(pool.run(waiting()), error) << method.name;
    open_gate();
    first.join();
  }
}

TEST_F(gated_pool, works_again_once_a_kernel_that_outlasted_every_timeout_has_ended) {
  for (auto const& method : pool_methods()) {
    running_ = gate_ = 0;
    auto options = pool_by(method.name);
    options.resident.stop_timeout = std::chrono::milliseconds(5);
    task_pool pool(device(), gated_kernels(), options);
    bool outlasts = false;
    for (auto timeout = std::chrono::milliseconds(50); !outlasts; timeout *= 2) {
      try {
        pool.run(std::vector<task>{waiting()}, deadline::in(timeout));
        FAIL() << "nobody opened the gate";
      } catch (pool_stopped const&) {  // the deadline passed before the task began
      } catch (timed_out const&) { outlasts = true; }
    }
    EXPECT_THROW(pool.run(waiting()), error) << method.name;
    open_gate();
    auto const limit = deadline::in(std::chrono::minutes(1));
    for (bool refused = true; refused;) {
      ASSERT_FALSE(limit.passed()) << method.name;
      try {
        EXPECT_EQ(pool.run(waiting()).run, 2u) << method.name;
        refused = false;
      } catch (pool_stopped const&) { throw; } catch (error const&) {
        std::this_thread::yield();
      }
    }
  }
}

TEST_F(gated_pool, names_at_its_deadline_the_task_that_does_not_end) {
  auto options = pool_by("chunks");
  options.resident.stop_timeout = std::chrono::milliseconds(50);
  task_pool pool(open_devices("host:1").front(), gated_kernels(), options);
  task const stuck(gated{array_ref(&running_), array_ref(&gate_)}, {5, 1});
  std::string said;
  for (auto timeout = std::chrono::milliseconds(50); said.empty(); timeout *= 2) {
    try {
      pool.run(std::vector<task>{stuck}, deadline::in(timeout));
      FAIL() << "nobody opened the gate";
    } catch (pool_stopped const&) {  // the deadline passed before the task began
    } catch (timed_out const& passed) { said = passed.what(); }
  }
  EXPECT_THAT(said, HasSubstr("\n1 block running a task\noldest task: kernel ballast::test::gated, block 5, "
                              "in resident block 0"));
  open_gate();
  await_end_of_last_run(pool);  // it uses the gate
}

TEST(task_pool, tells_how_much_of_a_tree_a_queue_that_takes_the_oldest_task_first_stores) {
  constexpr std::uint32_t nodes = 1023;
  device_buffer<std::uint32_t> times(device(), nodes);
  for (std::string const method : {"ring", "blocking"}) {
    auto options = pool_by(method);
    if (device()->is_cuda()) options.resident.blocks = 2;
    task_pool pool(device(), tree_kernels_of_blocks(), options);
    auto const statistics =
        pool.run(task(tree_node<64>{array_ref(times.data()), 0, nodes, tree_shape::binary}));
    EXPECT_GE(statistics.max_stored, nodes / 4) << method;  // the last level is half of the tree
  }
}

// Every node with a child but the last leaves its leaf behind: so many tasks wait when the last one begins.
TEST(task_pool, tells_how_much_of_a_comb_a_worker_alone_stores) {
  if (device()->is_cuda()) GTEST_SKIP() << "a GPU has two workers at least, and one steals from the other";
  constexpr std::uint32_t nodes = 201, chunk = 16;
  device_buffer<std::uint32_t> times(device(), nodes);
  for (std::string const method : {"chunks", "abp", "chase-lev"}) {
    auto options = pool_by(method);
    options.resident.blocks = 1;
    task_pool pool(device(), tree_kernels_of_blocks(), options);
    auto const stored =
        pool.run(task(tree_node<64>{array_ref(times.data()), 0, nodes, tree_shape::comb})).max_stored;
    EXPECT_GE(stored, nodes / 2 + 1) << method;
    EXPECT_LT(stored, nodes / 2 + 1 + chunk) << method << ", where one chunk is published with a task in it";
  }
}

TEST(task_pool, hands_back_what_a_requested_stop_left_and_runs_again) {
  constexpr std::uint32_t nodes = 100'000;
  device_buffer<std::uint32_t> times(device(), nodes);
  auto const stream = device()->make_stream();
  stream->fill(times.data(), 0, times.bytes());
  stream->synchronize();
  task_pool pool(device(), tree_kernels_of_warps(), pool_by("chunks"));
  std::vector<task> left{task(tree_node<32>{array_ref(times.data()), 0, nodes, tree_shape::binary})};
  std::uint64_t run = 0;
  for (bool stops = true; !left.empty(); stops = false) {
    std::thread other([&] {
      if (stops) pool.request_stop();
    });
    try {
      run += pool.run(left).run;
      left.clear();
    } catch (pool_stopped const& stopped) {
      run += stopped.statistics().run;
      left = stopped.unexecuted();
    }
    other.join();
  }
  EXPECT_EQ(run, nodes);
}

/// So many idle blocks, as tasks.
std::vector<task> idle_blocks(std::uint64_t blocks) {
  std::vector<task> roots;
  for (std::uint64_t first = 0; first < blocks; first += max_blocks_per_task)
    roots.push_back(task(idler{}, {0, max_blocks_per_task}));
  return roots;
}

TEST(task_pool, begins_no_level_on_cores_whose_tasks_it_could_store_but_not_hand_back) {
  if (device()->is_cuda()) GTEST_SKIP() << "a GPU's tasks are handed back in other memory";
  for (std::string const method : {"static", "static-per-task"}) {
    task_pool pool(device(), lying_kernels(), pool_by(method));
    // A quarter of all memory for what the level creates, so five sixths with the copies.
    auto const roots = idle_blocks(device()->properties().memory_bytes / (4 * sizeof(stored_task)));
    try {
      pool.run(roots);
      ADD_FAILURE() << method << " began it";
    } catch (pool_stopped const& stopped) {
      EXPECT_NE(std::string(stopped.what()).find("level"), std::string::npos) << stopped.what();
      EXPECT_EQ(stopped.unexecuted().size(), roots.size());
      EXPECT_EQ(stopped.statistics().run, 0u);
    }
    EXPECT_EQ(pool.run(task(idler{})).run, 1u) << method;
  }
}

TEST(task_pool, allocates_nothing_for_a_run_with_no_more_roots_than_before) {
  for (auto const& method : pool_methods()) {
    task_pool pool(device(), lying_kernels(), pool_by(method.name));
    std::vector<task> const many(100, task(idler{}));
    pool.run(many);
    auto const allocations = device()->allocations();
    auto const bytes = pool.memory_bytes();
    for (int times = 0; times < 3; ++times) EXPECT_EQ(pool.run(many).run, 100u) << method.name;
    EXPECT_EQ(pool.run(task(idler{})).run, 1u);
    EXPECT_EQ(device()->allocations(), allocations) << method.name;
    EXPECT_EQ(pool.memory_bytes(), bytes) << method.name;
  }
}

TEST(task_pool, says_that_its_device_is_lost_when_a_task_throws) {
  if (device()->is_cuda()) GTEST_SKIP() << "a trap ends every later test of this process";
  for (auto const& method : pool_methods()) {
    auto const mine = open_devices("host:2").front();
    task_pool pool(mine, faulty_kernels(), pool_by(method.name));
    EXPECT_EQ(pool.run(task(idler{})).run, 1u) << method.name;
    EXPECT_THROW(pool.run(std::vector<task>(50, task(faulty{}))), device_lost) << method.name;
    EXPECT_THROW(pool.run(task(idler{})), device_lost) << method.name;
  }
}

TEST(task_pool, leaves_its_device_to_others_between_runs) {
  task_pool one(device(), tree_kernels_of_warps(), pool_by("chunks")),
      other(device(), lying_kernels(), pool_by("abp"));
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(one.run(std::span<task const>()).run, 0u);
    EXPECT_EQ(other.run(task(idler{})).run, 1u);
  }
  EXPECT_GT(one.memory_bytes(), 0u);
}

TEST(task_pool, is_needed_to_launch_a_kernel_that_creates_tasks_or_adds_to_the_sum_of_its_run) {
  auto const stream = device()->make_stream();
  EXPECT_THROW(launch(tree_kernels_of_warps(), *stream, task(tree_node<32>{})), bad_argument);
  EXPECT_THROW(launch(kernels_of_the_default_method(), *stream, task(adder{})), bad_argument);
}

TEST(task_pool, adds_up_what_the_tasks_of_each_run_alone_have_added) {
  task_pool pool(device(), kernels_of_the_default_method());
  auto const many = pool.run(task(adder{3}, {0, 1000}));
  EXPECT_EQ(many.sum, 3000u);
  auto const one = pool.run(task(adder{~std::uint64_t(0)}));
  EXPECT_EQ(one.sum, ~std::uint64_t(0));
  auto const wrapped = pool.run(task(adder{~std::uint64_t(0)}, {0, 2}));
  EXPECT_EQ(wrapped.sum, ~std::uint64_t(1));
  auto const none = pool.run(task(idler{}));
  EXPECT_EQ(none.sum, 0u);
  EXPECT_EQ(none.max, 0u);
}

}  // namespace
}  // namespace ballast::test

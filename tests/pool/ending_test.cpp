// SPDX-License-Identifier: Apache-2.0
// What ends a run of a pool says the same, and hands back the same tasks, in whatever order it is called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/error.hpp"
#include "ending_calls.hpp"
#include "pool_device.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
namespace {

constexpr std::size_t roots = 40;

pool_options on_one_core(std::string_view method) {
  auto options = pool_by(method);
  options.resident.blocks = 0;  // which are those of a GPU, where the other tests have one
  return options;
}

/// "run", "run until" a time that has passed, and "stop".
std::string end(task_pool& pool, std::string const& call, std::vector<task>& left) {
  return said_by([&] {
    try {
      if (call == "stop") return pool.request_stop();
      call == "run" ? pool.run(left) : pool.run(left, deadline::in(clock::duration(0)));
      left.clear();
    } catch (pool_stopped const& ended) {
      EXPECT_EQ(ended.unfinished(), ended.unexecuted().size());
      EXPECT_EQ(ended.statistics().created, ended.statistics().run + ended.unexecuted().size());
      left = ended.unexecuted();
      throw;
    }
  });
}

TEST(pool_ending, of_a_lost_device_says_the_same_in_every_order) {
  for (auto const& method : pool_methods())
    for (auto const& order : orders_of({"run", "run until", "stop"})) {
      auto const where = std::string(method.name) + ", " + text_of(order);
      task_pool pool(open_devices("host:1"), faulty_kernels(), on_one_core(method.name));
      std::vector<task> faults{task(faulty{})};
      auto const lost = end(pool, "run", faults);
      EXPECT_TRUE(lost.starts_with("lost: ")) << lost << " in " << where;
      for (auto const& call : order) {
        auto const said = end(pool, call, faults);
        EXPECT_EQ(said, call == "stop" ? "nothing" : lost) << call << " in " << where;
      }
    }
}

TEST(pool_ending, of_a_lost_device_names_the_kernel_that_threw_and_its_block) {
  for (auto const& method : pool_methods()) {
    task_pool pool(open_devices("host:1"), faulty_kernels(), on_one_core(method.name));
    std::vector<task> faults{task(faulty{}, {7, 1})};
    EXPECT_THAT(end(pool, "run", faults),
                testing::HasSubstr(
                    "kernel ballast::test::faulty of set faulty_kernels, block 7, threw: planted fault"))
        << method.name;
  }
}

TEST(pool_ending, that_stopped_or_timed_out_hands_back_all_that_did_not_run_in_every_order) {
  for (auto const& method : pool_methods())
    for (auto const& order : orders_of({"run until", "run until", "stop"})) {
      auto const where = std::string(method.name) + ", " + text_of(order);
      task_pool pool(open_devices("host:1"), faulty_kernels(), on_one_core(method.name));
      std::vector<task> left(roots, task(idler{}));
      for (auto const& call : order) {
        auto const before = left.size();
        auto const said = end(pool, call, left);
        // All may have run, and the deadline passes before the kernel has ended.
        if (said == "nothing")
          EXPECT_TRUE(call == "stop" || left.empty()) << "in " << where;
        else
          EXPECT_TRUE(call != "stop" && said.starts_with("stopped: ")) << said << " in " << where;
        EXPECT_LE(left.size(), before) << "in " << where;
      }
    }
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "graph_batch.hpp"

#include <gtest/gtest.h>

#include "invented_batches.hpp"

namespace ballast::test {
using namespace detail;
namespace {

device_costs const of_an_h200;

class graph_caches : public testing::Test {
 protected:
  /// 64 chains of 8; each number another shape.
  plain_batch const& batch(std::uint32_t number = 1, std::uint32_t chains = 64) {
    auto& made = batches_.emplace_back();
    for (std::uint32_t chain = 0; chain < chains; ++chain)
      made.add(chain, std::vector<invented_launch>(8, {.blocks = number}));
    return made.sorted();
  }
  graph_cache::lookup_result look_up(plain_batch const& one) { return cache_.look_up(one); }
  /// How often it was looked up until it was worth building, at most `most` times.
  int times_until_built(plain_batch const& one, int most = 1000) {
    for (int times = 1; times <= most; ++times)
      if (look_up(one).build) {
        cache_.insert(graph_of(one, notes_));
        return times;
      }
    return 0;
  }

  std::deque<invented_batch> batches_;
  std::vector<recording_graph::note> notes_;
  graph_cache cache_{of_an_h200};
};

TEST_F(graph_caches, have_a_graph_built_the_third_time_that_there_is_a_batch_of_512) {
  EXPECT_EQ(times_until_built(batch()), 3);
  EXPECT_NE(look_up(batch()).graph, nullptr);
  EXPECT_EQ(look_up(batch(2)).graph, nullptr);
}

TEST_F(graph_caches, have_a_graph_built_the_later_the_fewer_launches_there_are) {
  EXPECT_EQ(times_until_built(batch(1, 16)), 7);
  EXPECT_EQ(times_until_built(batch(1, 4)), 20);
  EXPECT_EQ(times_until_built(batch(1, 3)), 0);
}

TEST_F(graph_caches, give_no_graph_that_someone_holds_but_have_a_second_built_and_no_third) {
  times_until_built(batch());
  auto const held = look_up(batch()).graph;
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(times_until_built(batch()), 3);
  auto const second = look_up(batch()).graph;
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, held);
  EXPECT_EQ(look_up(batch()).graph, nullptr);
  EXPECT_EQ(times_until_built(batch()), 0);
}

TEST_F(graph_caches, give_a_graph_again_that_was_let_go) {
  times_until_built(batch());
  auto const* const graph = look_up(batch()).graph.get();
  EXPECT_EQ(look_up(batch()).graph.get(), graph);
}

TEST_F(graph_caches, build_nothing_of_what_was_given_up) {
  times_until_built(batch());
  look_up(batch());
  cache_.give_up();
  EXPECT_EQ(look_up(batch()).graph, nullptr);
  EXPECT_EQ(times_until_built(batch()), 0);
}

TEST_F(graph_caches, forget_shapes_that_were_seen_longest_ago) {
  look_up(batch(1));
  look_up(batch(1));
  for (std::uint32_t other = 0; other < graph_cache::max_shapes; ++other) look_up(batch(100 + other));
  EXPECT_EQ(cache_.shapes(), graph_cache::max_shapes);
  EXPECT_EQ(times_until_built(batch(1)), 3);
}

TEST_F(graph_caches, keep_a_graph_however_many_shapes_come_once) {
  times_until_built(batch(1));
  for (std::uint32_t other = 0; other < 200; ++other) look_up(batch(100 + other));
  EXPECT_NE(look_up(batch(1)).graph, nullptr);
}

TEST_F(graph_caches, keep_the_graphs_that_were_used_last) {
  times_until_built(batch(1));
  times_until_built(batch(2));
  for (std::uint32_t other = 2; other < graph_cache::max_shapes_with_graph; ++other) {
    times_until_built(batch(100 + other));
    EXPECT_NE(look_up(batch(1)).graph, nullptr);
  }
  times_until_built(batch(99));
  EXPECT_NE(look_up(batch(1)).graph, nullptr);
  EXPECT_EQ(look_up(batch(2)).graph, nullptr);
}

TEST(graph_use, pays_though_all_arguments_change_if_the_kernels_are_short_or_of_unknown_length) {
  for (std::int64_t const typical_ns : {0, 5'000, 50'000})
    EXPECT_TRUE(is_worth_launching({512, 64, 512, typical_ns}, of_an_h200)) << typical_ns;
}

TEST(graph_use, does_not_pay_if_the_arguments_take_longer_than_the_first_launches_of_long_kernels) {
  EXPECT_FALSE(is_worth_launching({512, 64, 512, 500'000}, of_an_h200));
  EXPECT_TRUE(is_worth_launching({512, 64, 64, 500'000}, of_an_h200));
  EXPECT_TRUE(is_worth_launching({512, 64, 0, 500'000}, of_an_h200));
  EXPECT_FALSE(is_worth_launching({128, 8, 128, 50'000}, of_an_h200));
}

TEST(graph_use, pays_by_the_costs_of_the_device) {
  graph_use const whole{512, 64, 512, 0};
  ASSERT_TRUE(is_worth_launching(whole, of_an_h200));
  device_costs dear_arguments;
  dear_arguments.set_arguments_ns = 5000;
  EXPECT_FALSE(is_worth_launching(whole, dear_arguments));
  device_costs dear_graphs;
  dear_graphs.launch_graph_ns = 3e6;
  EXPECT_FALSE(is_worth_launching(whole, dear_graphs));
  device_costs cheap_launches;
  cheap_launches.launch_ns = 100;
  EXPECT_FALSE(is_worth_launching(whole, cheap_launches));
}

TEST(graph_use, is_prepared_by_the_costs_of_the_device) {
  constexpr std::uint64_t misses = 2;
  ASSERT_TRUE(is_worth_building(512, misses, of_an_h200));
  device_costs dear;
  dear.build_graph_ns = 20e6;
  EXPECT_FALSE(is_worth_building(512, misses, dear));
  EXPECT_TRUE(is_worth_building(512, 10 * misses, dear));
  device_costs without_gain;  // arguments that take as long as launches never pay for a graph
  without_gain.set_arguments_ns = without_gain.launch_ns + 1;
  EXPECT_FALSE(is_worth_building(512, 1'000'000, without_gain));
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "invented_batches.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using notes = std::vector<recording_graph::note>;

std::vector<invented_launch> const long_chain{{.function = 1}, {.function = 2}, {.function = 1}};
std::vector<invented_launch> const short_chain{{.function = 2, .blocks = 9}};

TEST(plain_batch, has_one_shape_whichever_launch_streams_have_which_chains) {
  invented_batch one, other;
  one.add(0, long_chain).add(1, short_chain).add(2, long_chain);
  other.add(3, short_chain).add(5, long_chain).add(9, long_chain);
  EXPECT_TRUE(other.sorted().has(one.sorted().shape()));
}

TEST(plain_batch, has_another_shape_if_anything_but_arguments_and_launch_streams_differs) {
  std::vector<std::vector<invented_launch>> const others{
      {{.function = 1}, {.function = 2}},
      {{.function = 1}, {.function = 2}, {.function = 1}, {.function = 1}},
      {{.function = 2}, {.function = 1}, {.function = 1}},
      {{.function = 1}, {.function = 3}, {.function = 1}},
      {{.function = 1}, {.function = 2, .blocks = 2}, {.function = 1}}};
  auto const with = [](std::vector<invented_launch> const& chain) {
    invented_batch batch;
    return batch.add(0, long_chain).add(1, chain).sorted().shape();
  };
  invented_batch batch;
  auto const& sorted = batch.add(0, long_chain).add(1, long_chain).sorted();
  EXPECT_TRUE(sorted.has(with(long_chain)));
  for (auto const& chain : others) EXPECT_FALSE(sorted.has(with(chain)));
}

TEST(plain_batch, is_not_taken_for_another_of_the_same_hash) {
  invented_batch batch;
  auto const& sorted = batch.add(0, long_chain).sorted();
  auto forged = sorted.shape();
  EXPECT_TRUE(sorted.has(forged));
  forged.launches[1].shape.shared_bytes = 1;
  EXPECT_FALSE(sorted.has(forged));
  forged = sorted.shape();
  forged.lengths = {1, 2};
  EXPECT_FALSE(sorted.has(forged));
}

TEST(plain_batch, divides_the_same_launches_into_branches_in_one_way_only) {
  invented_batch three_and_one, two_and_two;
  std::vector<invented_launch> const three(3), one(1), two(2);
  auto const shape = three_and_one.add(0, three).add(1, one).sorted().shape();
  EXPECT_FALSE(two_and_two.add(0, two).add(1, two).sorted().has(shape));
}

TEST(plain_batch, keeps_the_order_of_equal_chains_by_their_launch_streams) {
  invented_batch batch;
  auto const& sorted = batch.add(7, long_chain).add(2, long_chain).add(4, long_chain).sorted();
  std::vector<std::uint32_t> order;
  for (auto const& branch : sorted.branches()) order.push_back(branch.launch_stream);
  EXPECT_THAT(order, ElementsAre(2, 4, 7));
}

TEST(plain_batch, becomes_the_branches_of_a_graph_with_their_arguments) {
  invented_batch batch;
  auto const& sorted =
      batch.add(0, {{.function = 1, .blocks = 3, .first = 30}, {.function = 2, .blocks = 4, .first = 40}})
          .sorted();
  auto const branches = sorted.graph_branches();
  ASSERT_EQ(branches.size(), 1u);
  ASSERT_EQ(branches[0].launches.size(), 2u);
  auto const& last = branches[0].launches[1];
  EXPECT_EQ(last.function.identity(), reinterpret_cast<void const*>(2));
  EXPECT_EQ(last.shape, (launch_shape{4, 32}));
  EXPECT_EQ(*static_cast<std::uint64_t const*>(last.arguments[0]), 40u);
}

TEST(plain_batch, of_launches_without_arguments_makes_branches_too) {
  plain_batch batch;
  batch.begin_branch(0);
  void* const none[] = {nullptr};
  batch.add({reinterpret_cast<native_function>(1), {1, 1}, {}}, none);
  batch.sort();
  EXPECT_EQ(batch.graph_branches()[0].launches.size(), 1u);
}

TEST(cached_graph, sets_the_arguments_of_those_launches_that_differ_and_of_no_others) {
  notes set;
  invented_batch first, second, third;
  auto const graph =
      graph_of(first.add(0, {{.first = 1}, {.first = 2}}).add(1, {{.first = 3}, {.first = 4}}).sorted(), set);
  auto const& changed =
      second.add(0, {{.first = 1}, {.first = 20}}).add(1, {{.first = 3}, {.first = 4, .second = 1}}).sorted();
  EXPECT_EQ(graph->compare(changed), 2u);
  graph->set_changed(changed);
  EXPECT_THAT(set, ElementsAre(recording_graph::note(0, 1, 20), recording_graph::note(1, 1, 4)));
  set.clear();
  EXPECT_EQ(graph->compare(changed), 0u);
  graph->set_changed(changed);
  EXPECT_THAT(set, IsEmpty());
  auto const& back =
      third.add(0, {{.first = 1}, {.first = 2}}).add(1, {{.first = 3}, {.first = 4, .second = 1}}).sorted();
  EXPECT_EQ(graph->compare(back), 1u);
}

TEST(cached_graph, that_was_only_compared_goes_on_holding_what_it_held) {
  notes set;
  invented_batch first, second;
  auto const& built_of = first.add(0, {{.first = 1}}).sorted();
  auto const graph = graph_of(built_of, set);
  EXPECT_EQ(graph->compare(second.add(0, {{.first = 2}}).sorted()), 1u);
  EXPECT_EQ(graph->compare(built_of), 0u);
}

}  // namespace
}  // namespace ballast::test

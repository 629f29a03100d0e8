// SPDX-License-Identifier: Apache-2.0
// Launches of one block that go out together with what their launch_stream launches behind them.
#include <vector>

#include "fixture.hpp"
#include "pretended_gpu.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Of a queue whose kernels take so long each, one by one or merged, where launches of two launch streams
/// wait when the time of a block is known.
launch_statistics after_launches_of_two(std::uint32_t launches_of_each, std::uint64_t span_ns) {
  device_list const gpu = {std::make_shared<pretended_gpu>(declared_resources{}, span_ns)};
  launch_queue queue(gpu, kernels(), {.order = "round_robin", .filter_merges = false, .streams = 2});
  shared_words const visits(2);
  std::vector<launch_stream> lines;
  for (int i = 0; i < 2; ++i) lines.push_back(queue.make_launch_stream());
  lines[0].launch(count_visits{visits.ref()}, 1).wait();
  queue.pause();
  for (std::uint32_t i = 0; i < launches_of_each; ++i)
    for (std::uint32_t p = 0; p < 2; ++p) lines[p].launch(count_visits{visits.ref().from(p)}, 1);
  queue.resume();
  queue.wait_all();
  EXPECT_EQ(visits.read(), (std::vector<std::uint32_t>{launches_of_each + 1, launches_of_each}));
  return queue.statistics();
}

TEST(chained_kernels, are_counted_but_for_the_first_of_each_producer) {
  auto const did = after_launches_of_two(8, 1000);
  EXPECT_EQ(did.launches, 1u + 1u);
  EXPECT_EQ(did.merged_kernels, 16u);
  EXPECT_EQ(did.chained_kernels, 14u);
}

TEST(chained_kernels, are_none_where_two_blocks_behind_each_other_would_take_too_long) {
  auto const did = after_launches_of_two(8, 30'000);
  EXPECT_EQ(did.merged_kernels, 16u);
  EXPECT_EQ(did.chained_kernels, 0u);
}

TEST(chained_kernels, are_as_many_as_take_50_us_behind_each_other) {
  auto const did = after_launches_of_two(4, 20'000);
  EXPECT_EQ(did.merged_kernels, 8u);
  EXPECT_EQ(did.merged_launches, 2u);
  EXPECT_EQ(did.chained_kernels, 4u);
}

/// Of a queue where eight launches of one launch stream wait, the only ones there are.
launch_statistics after_launches_of_one(launch_options options) {
  device_list const gpu = {std::make_shared<pretended_gpu>(declared_resources{}, 1000)};
  options.order = "round_robin";
  launch_queue queue(gpu, kernels(), options);
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  line.launch(count_visits{visits.ref()}, 1).wait();
  queue.pause();
  for (int i = 0; i < 8; ++i) line.launch(count_visits{visits.ref()}, 1);
  queue.resume();
  queue.wait_all();
  EXPECT_EQ(visits[0], 9u);
  return queue.statistics();
}

TEST(chained_kernels, are_those_of_a_launch_stream_alone_too) {
  auto const did = after_launches_of_one({});
  EXPECT_EQ(did.launches, 1u + 1u);
  EXPECT_EQ(did.merged_launches, 1u);
  EXPECT_EQ(did.chained_kernels, 7u);
}

TEST(chained_kernels, are_none_where_nothing_is_merged) {
  auto const did = after_launches_of_one({.merge = "none"});
  EXPECT_EQ(did.launches, 9u);
  EXPECT_EQ(did.chained_kernels, 0u);
}

/// Two launch streams with a launch of one block each, behind which the first has `follower`.
template <class K>
void run_behind_one_block(K const& follower, std::uint32_t blocks) {
  device_list const gpu = {std::make_shared<pretended_gpu>(declared_resources{}, 1000)};
  launch_queue queue(gpu, kernels(), {.order = "round_robin", .filter_merges = false, .streams = 2});
  shared_words const visits(2);
  auto one = queue.make_launch_stream(), other = queue.make_launch_stream();
  one.launch(count_visits{visits.ref()}, 1).wait();
  one.launch(follower, blocks).wait();  // so that its times are known
  queue.pause();
  for (auto* const line : {&one, &other}) line->launch(count_visits{visits.ref().from(1)}, 1);
  one.launch(follower, blocks);
  queue.resume();
  queue.wait_all();
  EXPECT_EQ(queue.statistics().merged_kernels, 2u);
  EXPECT_EQ(queue.statistics().chained_kernels, 0u);
}

TEST(chained_kernels, are_none_of_several_blocks) {
  shared_words const visits(3);
  run_behind_one_block(count_visits{visits.ref()}, 3);
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(3, 2));
}

TEST(chained_kernels, are_none_of_another_family) {
  shared_words const items(mix_items::items);
  run_behind_one_block(mix_items{items.ref(), 1, {}}, 1);
  EXPECT_EQ(items.read(), std::vector<std::uint32_t>(mix_items::items, 4));  // 3 * (3 * 0 + 1) + 1
}

}  // namespace
}  // namespace ballast::test

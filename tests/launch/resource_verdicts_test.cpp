// SPDX-License-Identifier: Apache-2.0
// What a queue does with what its device says of registers: the verdicts `spills` and `occupancy_lost`.
#include "ballast/detail/launch/kernel_family.cuh"
#include "fixture.hpp"
#include "pretended_gpu.hpp"

namespace ballast::test::resource_verdicts_test {
using namespace detail;
namespace {

constexpr std::size_t launch_streams = 4;

bool is_merged(std::string_view name) { return name == kernels().name(); }

/// Of a queue on a GPU that says `declared`, where a launch of K by each launch stream waited.
template <class K>
launch_statistics after_launches_of(declared_resources declared, bool filter_merges = true) {
  device_list const gpu = {std::make_shared<pretended_gpu>(std::move(declared))};
  launch_queue queue(gpu, kernels(), {.order = "round_robin", .filter_merges = filter_merges, .streams = 2});
  shared_words const visits(launch_streams);
  std::vector<launch_stream> lines;
  queue.pause();
  for (std::size_t p = 0; p < launch_streams; ++p) {
    lines.push_back(queue.make_launch_stream());
    lines.back().launch(K{visits.ref().from(p)}, 1);
  }
  queue.resume();
  queue.wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(launch_streams, 1));
  return queue.statistics();
}

std::uint64_t refusals(launch_statistics const& did) {
  std::uint64_t sum = 0;
  for (auto const& each : did.verdicts.listed())
    if (each.verdict.name != "merge") sum += each.count;
  return sum;
}

void expect_refused(launch_statistics const& did, merge_verdict reason) {
  EXPECT_EQ(did.merged_launches, 0u);
  EXPECT_EQ(did.verdicts.of(reason), launch_streams - 1);  // the last has nobody to go with
  EXPECT_EQ(refusals(did), launch_streams - 1);
}

void expect_merged(launch_statistics const& did) {
  EXPECT_EQ(did.merged_kernels, launch_streams);
  EXPECT_EQ(refusals(did), 0u);
}

kernel_resources spills_when_merged(std::string_view name) {
  return {.spill_bytes = is_merged(name) ? 8 + 65 : 8, .blocks_per_multiprocessor = 4};
}

TEST(launch_queue, does_not_merge_kernels_that_spill_more_when_merged) {
  expect_refused(after_launches_of<count_visits>(spills_when_merged), merge_verdict::spills);
}

TEST(launch_queue, that_does_not_filter_counts_spills_and_merges_all_the_same) {
  auto const did = after_launches_of<count_visits>(spills_when_merged, false);
  EXPECT_EQ(did.merged_kernels, launch_streams);
  EXPECT_EQ(did.verdicts.of(merge_verdict::spills), 1u);
}

TEST(launch_queue, merges_kernels_that_spill_little_more_when_merged) {
  auto const declared = [](std::string_view name) -> kernel_resources {
    return {.spill_bytes = is_merged(name) ? 8 + 64 : 8, .blocks_per_multiprocessor = 4};
  };
  expect_merged(after_launches_of<count_visits>(declared));
}

TEST(launch_queue, merges_kernels_of_which_one_needs_as_much_local_memory_alone) {
  auto const declared = [](std::string_view name) -> kernel_resources {
    bool const has_local_memory = is_merged(name) || name.ends_with("append_to_log");
    return {.spill_bytes = has_local_memory ? 96 : 0, .blocks_per_multiprocessor = 4};
  };
  expect_merged(after_launches_of<count_visits>(declared));
}

kernel_resources has_half_the_blocks_when_merged(std::string_view name) {
  return {.blocks_per_multiprocessor = is_merged(name) ? 2 : 4};
}

TEST(launch_queue, does_not_merge_a_kernel_that_would_lose_the_occupancy_it_needs) {
  expect_refused(after_launches_of<count_visits_widely>(has_half_the_blocks_when_merged),
                 merge_verdict::occupancy_lost);
}

TEST(launch_queue, merges_a_kernel_that_loses_occupancy_it_does_not_need) {
  expect_merged(after_launches_of<count_visits>(has_half_the_blocks_when_merged));
}

TEST(launch_queue, merges_a_kernel_that_keeps_the_occupancy_it_needs) {
  auto const declared = [](std::string_view) -> kernel_resources { return {.blocks_per_multiprocessor = 4}; };
  expect_merged(after_launches_of<count_visits_widely>(declared));
}

TEST(launch_kernels, indirect_need_the_occupancy_that_they_need_themselves) {
  EXPECT_TRUE(needs_occupancy<indirect<count_visits_widely>>);
  EXPECT_FALSE(needs_occupancy<indirect<count_visits>>);
}

}  // namespace
}  // namespace ballast::test::resource_verdicts_test

// SPDX-License-Identifier: Apache-2.0
// A merged launch as its blocks read it.
#include "ballast/detail/launch/merged_launch.cuh"

#include <cstring>

#include "ballast/detail/launch/compile_launch.cuh"
#include "ballast/detail/launch/kernel_family.cuh"
#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using family = kernel_family<count_visits, append_to_log, count_workers>;

/// Puts a kernel behind those that are there.
template <class K>
void add(merged_launch& launch, K const& kernel, std::uint32_t blocks) {
  auto const piece = std::uint16_t(launch.kernels * 2);
  launch.blocks += blocks;
  launch.members[launch.kernels++] = {launch.blocks, family::index_of<K>(), piece};
  std::memcpy(launch.arguments + piece * argument_piece, &kernel, sizeof kernel);
}

void run(merged_launch const& launch) {
  for (std::uint32_t block = 0; block < launch.blocks; ++block)
    family::run<launched_host_block>(launch, block, nullptr);
}

TEST(merged_launch, gives_each_block_to_its_kernel) {
  std::vector<std::uint32_t> visits(20);
  merged_launch launch;
  std::vector<std::uint32_t> const grids{1, 7, 2, 1, 9};
  std::uint32_t first = 0;
  for (auto const grid : grids) {
    add(launch, count_visits{array_ref<std::uint32_t>(visits.data() + first)}, grid);
    first += grid;
  }
  run(launch);
  EXPECT_EQ(visits, std::vector<std::uint32_t>(20, 1));
}

TEST(merged_launch, tells_each_block_its_place_in_its_own_grid_as_its_worker) {
  std::vector<std::uint32_t> words(10);
  merged_launch launch;
  std::uint32_t first = 0;
  for (std::uint32_t blocks = 1; blocks <= 4; first += blocks++)
    add(launch, count_workers{array_ref<std::uint32_t>(words.data() + first)}, blocks);
  run(launch);
  EXPECT_EQ(words, (std::vector<std::uint32_t>{1, 2, 2, 3, 3, 3, 4, 4, 4, 4}));
}

TEST(merged_launch, runs_chained_kernels_in_order_behind_the_block_that_they_follow) {
  std::vector<std::uint32_t> log(10), visits(4);
  array_ref<std::uint32_t> const entries(log.data()), counts(visits.data());
  merged_launch launch;
  add(launch, count_visits{counts}, 2);
  for (std::uint32_t i = 0; i < 3; ++i) add(launch, append_to_log{entries, i + 5}, i == 0 ? 1 : 0);
  add(launch, count_visits{counts.from(2)}, 1);
  add(launch, append_to_log{entries.from(5), 9}, 0);
  run(launch);
  EXPECT_EQ(launch.blocks, 4u);
  EXPECT_EQ(log, (std::vector<std::uint32_t>{3, 5, 6, 7, 0, 1, 9, 0, 0, 0}));
  EXPECT_EQ(visits, (std::vector<std::uint32_t>{1, 1, 1, 0}));
}

}  // namespace
}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
// The kernels' blocks as teams of real threads: a missing sync() gives wrong results, and ThreadSanitizer
// reports it.

#include <gtest/gtest.h>

#include <algorithm>

#include "ballast/team_block.hpp"
#include "nanodroplet/droplet.hpp"
#include "nanodroplet/water_memory.hpp"

namespace ballast::nanodroplet {
namespace {

constexpr std::uint32_t team = 4;

template <class K>
void run_on_one_thread(K const& kernel, std::uint32_t blocks) {
  scratch_of<K> scratch{};
  detail::run_blocks<detail::host_block>(kernel, {0, blocks}, &scratch);
}

template <class Run>
std::vector<double> results_by(Run const& run) {
  auto const system = make_droplet({100, true, 0});
  water_memory const memory(open_devices("host:1").front(), {100, 12, 0.5});
  auto const io = memory.exchange();
  std::ranges::copy(system.water, io.start.begin());
  std::ranges::copy(system.beads, io.beads.begin());
  std::ranges::fill(io.velocity, vec3{0.001, 0.002, 0.003});
  run(memory.load(), memory.blocks());
  for (bool const is_last : {true, false, true}) {
    run(memory.among_water(is_last), memory.blocks());
    run(memory.with_beads(is_last), memory.blocks());
    run(memory.propagate(is_last), memory.blocks());
    run(memory.begin(is_last), memory.blocks());
  }
  std::vector<double> found;
  for (auto const& array : {io.water, io.water_velocity, io.on_beads})
    for (auto const& v : array) found.insert(found.end(), {v.x, v.y, v.z});
  for (auto const& block : io.blocks) found.insert(found.end(), std::begin(block.of), std::end(block.of));
  return found;
}

TEST(nanodroplet_kernels, find_the_same_with_several_threads_to_a_block) {
  auto const alone =
      results_by([](auto const& kernel, std::uint32_t blocks) { run_on_one_thread(kernel, blocks); });
  auto const together = results_by([](auto const& kernel, std::uint32_t blocks) {
    run_with_team<team>(kernel, {0, blocks});
  });
  ASSERT_EQ(alone.size(), together.size());
  // The compiler may fuse multiplications and additions in one and not in the other.
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_NEAR(together[i], alone[i], 1e-12 * (1 + std::abs(alone[i])));
}

}  // namespace
}  // namespace ballast::nanodroplet

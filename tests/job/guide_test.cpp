// SPDX-License-Identifier: Apache-2.0
// docs/job.md shows this.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test {
namespace {

TEST(guide_to_jobs, adopts_memory_of_the_host) {
  constexpr std::size_t height = 8, width = 16;
  job_scheduler jobs(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
  std::vector<std::uint32_t> plate(height * width, 20);  // pageable, or pinned
  ballast::shared_array<std::uint32_t, 2> now(jobs, ballast::adopt(std::span(plate), {height, width}));
  jobs.submit({height * width}, ballast::updates(now), [](auto all) { return count_visits{all}; });
  now.release();  // waits; the newest values are in plate, which is the caller's again
  EXPECT_EQ(plate, std::vector<std::uint32_t>(height * width, 21));
}

TEST(guide_to_jobs, adopts_memory_of_a_device) {
  constexpr std::size_t height = 8, width = 16;
  auto const devices = two_devices();
  device_buffer<std::uint32_t> memory(devices[0], height * width);
  auto* const tensor = memory.data();
  auto const work = devices[0]->make_stream();
  work->fill(tensor, 0, memory.bytes());
  work->synchronize();
  job_scheduler jobs(devices, kernels(), {.device_bytes = enough_device_bytes});
  // tensor: memory of devices[0], such as a library's on a GPU
  ballast::shared_array<std::uint32_t, 2> weights(jobs, ballast::adopt(*devices[0], tensor, {height, width}));
  jobs.submit({height * width}, ballast::updates(weights), [](auto all) { return count_visits{all}; });
  weights.release();  // waits; the newest values are in the tensor
  std::vector<std::uint32_t> found(height * width);
  work->copy(found.data(), tensor, memory.bytes());
  work->synchronize();
  EXPECT_EQ(found, std::vector<std::uint32_t>(height * width, 1));
}

TEST(guide_to_jobs, runs_short_steps_as_a_sequence) {
  constexpr std::uint32_t height = 8, width = 16;
  job_scheduler jobs(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
  word_rows now(jobs, {height, width}), next(jobs, {height, width});
  number(now);
  auto expected = values_of(now);
  for (int step = 0; step < 2000; ++step) expected = mixed(expected, height, width);
  auto const mix = [](auto from, auto to) { return mix_rows{from, to, height, width}; };
  ballast::job_sequence two(jobs, "there and back");
  two.add({height}, ballast::reads(now, ballast::neighborhood(1)), ballast::writes(next, ballast::rows), mix);
  two.add({height}, ballast::reads(next, ballast::neighborhood(1)), ballast::writes(now, ballast::rows), mix);
  jobs.submit(two, 1000);  // 2000 steps, which begin and end in now
  EXPECT_EQ(values_of(now), expected);
}

TEST(guide_to_jobs, maps_parts_to_regions) {
  ballast::access_map const map = ballast::neighborhood(1);     // each row and its neighbours
  ballast::region const read = map.of({{2, 2}, 10, {10, 64}});  // units 2 and 3 of 10: rows 1 to 4
  ballast::access_map const mirrored = [](ballast::map_view const& view) {  // unit u: element units - 1 - u
    auto const end = view.units - view.part.first;
    return ballast::region({{end - view.part.count, end}});
  };
  EXPECT_EQ(read, region(box{{{{0, 1}, {1, 5}, {0, 64}}}}));
  EXPECT_EQ(mirrored.of({{2, 3}, 10, {10}}), region({{5, 8}}));
}

}  // namespace
}  // namespace ballast::test

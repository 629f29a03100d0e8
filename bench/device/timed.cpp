// SPDX-License-Identifier: Apache-2.0
#include "device/timed.hpp"

#include <algorithm>
#include <span>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "device/kernels.cuh"
#include "report/statistics.hpp"

namespace ballast::bench {

double device_seconds(stream& on, std::function<void()> const& enqueue) {
  auto const begin = on.record();
  enqueue();
  auto const end = on.record();
  on.synchronize(soon());
  return std::chrono::duration<double>(end->since(*begin)).count();
}

double seconds_per_tick(std::shared_ptr<compute_device> const& device) {
  if (!device->is_cuda()) return 1e-9;
  auto const stream = device->make_stream();
  pinned_buffer<std::uint64_t> elapsed(device, 2);
  start(*stream, 1, compare_clocks{array_ref<std::uint64_t>(elapsed.data()), 500'000});
  stream->synchronize(soon());
  if (elapsed[0] == 0 || elapsed[1] == 0) throw error("a clock of " + device->name() + " stands still");
  return 1e-9 * double(elapsed[1]) / double(elapsed[0]);
}

std::uint32_t calls_for_duration(double wanted,
                                 std::function<double(std::uint32_t)> const& seconds_of_calls) {
  std::uint32_t calls = 16;
  seconds_of_calls(calls);
  for (int trial = 0; trial < 3; ++trial) {
    auto const took = std::max(seconds_of_calls(calls), 1e-9);
    calls = std::uint32_t(std::clamp(calls * wanted / took, 8.0, double(1 << 19))) / 8 * 8;
  }
  return calls;
}

std::vector<std::uint32_t> block_counts(session const& now) {
  auto const cores = std::uint32_t(now.first()->properties().multiprocessors);
  std::vector<std::uint32_t> blocks = {1, 2, 8, 32, cores, 2 * cores, 4 * cores, 8 * cores, 16 * cores};
  if (!now.first()->is_cuda()) blocks = {1, 2, 4, 8, 16, 32, 64, cores};
  if (now.quick()) blocks = {1, cores};
  std::erase_if(blocks, [&](auto count) { return count > (now.first()->is_cuda() ? 16 : 1) * cores; });
  std::ranges::sort(blocks);
  auto const repeated = std::ranges::unique(blocks);
  blocks.erase(repeated.begin(), repeated.end());
  return blocks;
}

std::vector<double> medians_of_groups(std::vector<double> const& samples, std::size_t groups) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < groups; ++i) {
    auto const begin = samples.size() * i / groups, end = samples.size() * (i + 1) / groups;
    medians.push_back(median(std::span(samples).subspan(begin, end - begin)));
  }
  return medians;
}

}  // namespace ballast::bench

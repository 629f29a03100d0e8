// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "launch/benchmarks.hpp"
#include "launch/droplet_runs.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint32_t waters_of_paper = 356, waters_in_quick = 27;

std::vector<std::uint32_t> numbers_of_chains(session const& now) {
  if (now.quick()) return {4, 8};
  if (!now.first()->is_cuda()) return {16, 32};
  return {16, 32, 64, 128};
}

std::vector<std::uint32_t> numbers_of_waters(session const& now) {
  if (now.quick()) return {8, waters_in_quick};
  if (!now.first()->is_cuda()) return {128, 256, 356};
  return {128, 256, 356, 512, 768, 1024};
}

/// The first device alone, then all together.
std::vector<device_list> groups_of(device_list const& devices) {
  if (devices.size() == 1) return {devices};
  return {{devices.front()}, devices};
}

/// Derives the rate of the default queue over that of the fastest way without a queue.
void derive_gain(session& now, device_list const& devices, std::uint32_t x) {
  double best = 0, of_queue = 0;
  for (auto const& way : droplet_ways(devices)) {
    auto const rate = now.median_of(droplet_curve(way, devices), x);
    if (way.mode != "queue") best = std::max(best, rate);
    if (way.name == "queue") of_queue = rate;
  }
  auto const name = "queue over the best without one, devices: " + std::to_string(devices.size());
  now.derived(name + ", @" + std::to_string(x), of_queue / best);
}

void measure_ways(session& now, droplet_runs& runs, std::uint32_t chains, std::uint32_t x) {
  for (auto const& devices : groups_of(now.devices())) {
    for (auto const& way : droplet_ways(devices)) runs.measure(way, devices, chains, x);
    derive_gain(now, devices, x);
  }
}

/// Measures the denominator of the paper's figure: the fastest way without a GPU, in which each core advances
/// chains of its own in lock-step.
void measure_eight_cores(session& now, droplet_runs& runs, std::uint32_t chains) {
  if (now.quick() || !now.first()->is_cuda()) return;
  if (now.record().machine.cores < 8)
    return now.parameter("not measured: 8 CPU cores", "this process may use fewer");
  auto const cores = open_devices("host:1,host:1,host:1,host:1,host:1,host:1,host:1,host:1");
  runs.measure({"batched on CPU cores", "batched", {}}, cores, chains, chains);
}

}  // namespace

/// Figure 9 of Wende et al. 2012, for other ways of launching.
void measure_nanodroplet(session& now) {
  now.axes("Markov chains of a water droplet", "chains", "interactions/s", true);
  begin_droplets(now);
  auto const waters = std::uint32_t(now.size(waters_of_paper, waters_in_quick));
  now.parameter("waters", waters);
  auto const numbers = numbers_of_chains(now);
  droplet_runs runs(now, waters, numbers.back());
  for (auto const chains : numbers) measure_ways(now, runs, chains, chains);
  measure_eight_cores(now, runs, numbers.back());
}

void measure_nanodroplet_waters(session& now) {
  now.axes("Markov chains of a water droplet, by its size", "waters", "interactions/s", true);
  begin_droplets(now);
  auto const chains = std::uint32_t(now.size(now.first()->is_cuda() ? 32 : 8, 4));
  now.parameter("chains", chains);
  for (auto const waters : numbers_of_waters(now)) {
    droplet_runs runs(now, waters, chains);
    measure_ways(now, runs, chains, waters);
  }
}

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#include "launch/block_costs.hpp"

#include <algorithm>

#include "device/timed.hpp"
#include "launch/chain_words.hpp"
#include "launch/levelled_kernels.cuh"
#include "report/statistics.hpp"

namespace ballast::bench {

block_costs measured_costs(session& now) {
  constexpr std::uint32_t steps = 50'000, kernels = 512;
  constexpr std::size_t repetitions = 5;
  chain_words words(now.first(), 1);
  auto const on = now.first()->make_stream();
  auto const kernel = [&](std::uint32_t of_steps) {
    return level_block<1>{array_ref<std::uint32_t>(words.of(0)), of_steps};
  };
  auto const block = [&](std::uint32_t of_steps) {
    return median(now.samples(1, repetitions,
                              [&] { return device_seconds(*on, [&] { start(*on, 1, kernel(of_steps)); }); }));
  };
  auto const started = median(now.samples(1, repetitions, [&] {
    return seconds_of([&] {
             for (std::uint32_t i = 0; i < kernels; ++i) start(*on, 1, kernel(0));
             on->synchronize(soon());
           }) /
           kernels;
  }));
  auto const step = std::max(block(2 * steps) - block(steps), 1e-9) / steps;
  now.add("a start", "s", {started});
  now.add("a multiply-add of each thread of a block", "s", {step});
  return {step, started};
}

std::uint32_t steps_for(block_costs const& costs, double start_levels) {
  return std::uint32_t(std::clamp(costs.start / start_levels / costs.step, 16.0, 1e7));
}

}  // namespace ballast::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "invented_blocks.hpp"
#include "invented_resource.hpp"
#include "kernel_table.hpp"

namespace ballast::test {
using namespace detail;

inline family_facts const two_at_a_time{.blocks_per_multiprocessor = 2};
inline constexpr std::size_t slots = 66;
inline launch_costs const on_33{.multiprocessors = multiprocessor_count(33)};

/// A device whose kernels have times that nobody tells, and merges random mixes of them. Those with a usage
/// share a resource, which blocks of one kernel on all slots would want that many times over.
struct invented_mixes {
  std::vector<double> block_ns;
  std::uint32_t max_blocks = 64;
  double spread = 0;  // of each block's time, each way
  std::size_t in_flight = 0;
  std::vector<double> usage{};  // of nothing, if empty
  slots_that_share::held_up held_up = slots_that_share::held_up::all;
  double alone = 0;           // part of the launches that are not merged
  bool usage_is_told = true;  // to the model
  random_numbers random{2014};
  kernel_times times{two_at_a_time, on_33};
  struct launched {
    std::vector<kernel_facts> kernels;
    double unshared_ns;
    std::int64_t span_ns;
  };
  std::deque<launched> running{};

  std::vector<kernel_facts> mix() {
    bool const merged = alone == 0 || random.from_to(0.0, 1.0) >= alone;
    std::vector<kernel_facts> kernels(merged ? random.from_to<std::size_t>(2, 16) : 1);
    for (auto& each : kernels) {
      each.kernel = random.from_to<std::uint32_t>(0, static_cast<std::uint32_t>(block_ns.size() - 1));
      each.blocks = random.from_to(1u, max_blocks);
      each.block_ns = times.block_ns(each.kernel);
      if (usage_is_told) each.shared_ns = times.shared_ns(each.kernel);
      each.blocks_per_multiprocessor = 2;
    }
    std::ranges::stable_sort(kernels, std::ranges::greater(), &kernel_facts::block_ns);
    return kernels;
  }

  double run(std::vector<kernel_facts> const& kernels) {
    auto const time = [&](kernel_facts const& kernel) {
      return block_ns[kernel.kernel] * random.from_to(1 - spread, 1 + spread);
    };
    if (usage.empty()) return run_on_slots(kernels, slots, time);
    return slots_that_share(slots, held_up).run(kernels, [&](kernel_facts const& kernel) {
      return slots_that_share::block{time(kernel), usage[kernel.kernel] / slots};
    });
  }

  /// Tells spans that are `off` times what they were, each after `in_flight` later launches were predicted.
  void launch(int launches, double off = 1) {
    for (int i = 0; i < launches; ++i) {
      auto const kernels = mix();
      auto const span = std::max(std::llround(off * run(kernels)), 1LL);
      running.push_back({kernels, predict(kernels, two_at_a_time, on_33).unshared_busy, span});
      if (running.size() <= in_flight) continue;
      note(running.front());
      running.pop_front();
    }
  }

  void note(launched const& first) {
    if (first.kernels.size() == 1) return times.record_alone(first.kernels.front(), first.span_ns);
    times.record_merged(first.kernels, first.unshared_ns, first.span_ns);
  }

  double part_predicted_within(double error, int launches) {
    int within = 0;
    for (int i = 0; i < launches; ++i) {
      auto const kernels = mix();
      within += std::abs(predict(kernels, two_at_a_time, on_33).merged_busy / run(kernels) - 1) <= error;
    }
    return static_cast<double>(within) / launches;
  }

  double learned_usage(std::uint32_t kernel) const {
    return times.shared_ns(kernel) * slots / block_ns[kernel];
  }

  double worst_error() const {
    double worst = 0;
    for (std::uint32_t kernel = 0; kernel < block_ns.size(); ++kernel)
      worst = std::max(worst, std::abs(static_cast<double>(times.block_ns(kernel)) / block_ns[kernel] - 1));
    return worst;
  }
};

}  // namespace ballast::test

// SPDX-License-Identifier: Apache-2.0
#include "merge_filter.hpp"

#include <algorithm>
#include <cmath>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t remembered_sets = 256;
constexpr double slower = 1.1;
constexpr std::uint32_t slow_launches_to_refuse = 3;
constexpr std::uint32_t retry_interval = 64;

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

merge_filter::merge_filter(launch_costs const& costs) : costs_(costs), sets_(remembered_sets) {
  check(costs);
}

merge_decision merge_filter::decide_merge(std::span<kernel_facts const> kernels, family_facts const& family) {
  auto decision = ballast::decide_merge(kernels, family, costs_);
  if (decision.verdict == merge_verdict::merge && refuses(set_of(kernels)))
    decision.verdict = merge_verdict::learned;
  counts_.add(decision.verdict);
  return decision;
}

bool merge_filter::refuses(kernel_set const& set) {
  auto& known = slot_of(set);
  if (known.slow_in_a_row < slow_launches_to_refuse || known.set != set) return false;
  known.refused = (known.refused + 1) % retry_interval;
  return known.refused != 0;
}

void merge_filter::record(std::span<kernel_facts const> kernels, predicted_times const& predicted,
                          std::int64_t span_ns) {
  check(kernels);
  if (!(std::isfinite(predicted.merged_busy) && predicted.merged_busy >= 0))
    throw_bad_argument("predicted", predicted.merged_busy, "finite and at least 0");
  if (span_ns < 1) throw_bad_argument("span_ns", span_ns, "at least 1");
  if (predicted.merged_busy == 0) return;
  auto const set = set_of(kernels);
  auto& known = slot_of(set);
  auto const span = static_cast<double>(span_ns);
  auto const with_start = span + predicted.merged - predicted.merged_busy;
  auto const slow = span > slower * predicted.merged_busy && with_start > predicted.streams;
  if (known.set != set) {
    if (slow) known = {set, 1, 0};
    return;
  }
  known.slow_in_a_row = slow ? std::min(known.slow_in_a_row + 1, slow_launches_to_refuse) : 0;
}

merge_filter::kernel_set merge_filter::set_of(std::span<kernel_facts const> kernels) {
  kernel_set set{.family = kernels[0].family};
  for (auto const& kernel : kernels)
    set.kernels[kernel.kernel / 64] |= std::uint64_t{1} << kernel.kernel % 64;
  return set;
}

merge_filter::remembered& merge_filter::slot_of(kernel_set const& set) {
  auto hash = mixed(set.family);
  for (auto const word : set.kernels) hash = mixed(hash ^ word);
  return sets_[hash % sets_.size()];
}

}  // namespace ballast::detail

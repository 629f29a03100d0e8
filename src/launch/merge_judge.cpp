// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/merge_judge.hpp"

#include <algorithm>
#include <cmath>

#include "ballast/base/error.hpp"

namespace ballast::inline launch {
namespace {

constexpr std::size_t remembered_sets = 256;
constexpr double slower = 1.1;
constexpr std::uint32_t slow_launches_to_refuse = 3;
constexpr std::uint32_t asked_for_a_retry = 64;

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

merge_judge::merge_judge(launch_costs const& costs) : costs_(costs), sets_(remembered_sets) { check(costs); }

merge_judgement merge_judge::judge(std::span<kernel_facts const> kernels, family_facts const& family) {
  auto judgement = ballast::judge(kernels, family, costs_);
  if (judgement.verdict == merge_verdict::merge && refuses(set_of(kernels)))
    judgement.verdict = merge_verdict::learned;
  counts_.add(judgement.verdict);
  return judgement;
}

bool merge_judge::refuses(kernel_set const& set) {
  auto& known = place_of(set);
  if (known.slow_in_a_row < slow_launches_to_refuse || known.set != set) return false;
  known.refused = (known.refused + 1) % asked_for_a_retry;
  return known.refused != 0;
}

void merge_judge::note(std::span<kernel_facts const> kernels, predicted_times const& predicted,
                       std::int64_t span_ns) {
  check(kernels);
  if (!(std::isfinite(predicted.merged_busy) && predicted.merged_busy >= 0))
    refuse_argument("predicted", predicted.merged_busy, "finite and at least 0");
  if (span_ns < 1) refuse_argument("span_ns", span_ns, "at least 1");
  if (predicted.merged_busy == 0) return;
  auto const set = set_of(kernels);
  auto& known = place_of(set);
  auto const span = static_cast<double>(span_ns);
  auto const with_start = span + predicted.merged - predicted.merged_busy;
  auto const slow = span > slower * predicted.merged_busy && with_start > predicted.streams;
  if (known.set != set) {
    if (slow) known = {set, 1, 0};
    return;
  }
  known.slow_in_a_row = slow ? std::min(known.slow_in_a_row + 1, slow_launches_to_refuse) : 0;
}

merge_judge::kernel_set merge_judge::set_of(std::span<kernel_facts const> kernels) {
  kernel_set set{.family = kernels[0].family};
  for (auto const& kernel : kernels)
    set.kernels[kernel.kernel / 64] |= std::uint64_t{1} << kernel.kernel % 64;
  return set;
}

merge_judge::remembered& merge_judge::place_of(kernel_set const& set) {
  auto hash = mixed(set.family);
  for (auto const word : set.kernels) hash = mixed(hash ^ word);
  return sets_[hash % sets_.size()];
}

}  // namespace ballast::inline launch

// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/error.hpp"
#include "merge_model.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint64_t levels_of_a_full_device =
    4;  // alone, the last level is at most a quarter of the time
constexpr double max_length_ratio = 8;
constexpr double min_gain = 0.01;  // of the merged time, which is not known better

constexpr std::array<named_policy, merge_verdict_count> verdicts{
    {{"merge", "the kernels become one launch"},
     {"too_many_kernels", "one launch takes fewer kernels"},
     {"other_family", "a kernel is not in the family's merged kernel"},
     {"spills", "the merged kernel keeps clearly more in local memory than any of its kernels alone"},
     {"priority_differs", "the kernels have different priorities"},
     {"arguments_do_not_fit", "one launch takes fewer bytes of arguments"},
     {"grid_fills_device", "a kernel alone fills the device four times or more"},
     {"occupancy_lost", "a kernel that needs its occupancy would have fewer blocks at a time than alone"},
     {"time_varies", "a kernel's launches differ so much that others would wait for the longest"},
     {"lengths_differ", "a kernel of several levels has blocks more than eight times as long as another's"},
     {"no_gain", "what the host saves by one launch is lost on the device, or is less than 1%"},
     {"learned", "launches of these kernels as one were slower than predicted, three times in a row"}}};

void check_min(char const* name, std::uint32_t value, std::uint32_t least) {
  if (value < least) throw_bad_argument(name, value, "at least " + std::to_string(least));
}

void check_ns(char const* name, double ns) {
  if (!(std::isfinite(ns) && ns >= 0)) throw_bad_argument(name, ns, "finite and at least 0");
}

void check(kernel_facts const& kernel) {
  check_min("blocks", kernel.blocks, 1);
  check_min("blocks_per_multiprocessor", kernel.blocks_per_multiprocessor, 1);
  if (kernel.block_ns < 0) throw_bad_argument("block_ns", kernel.block_ns, "at least 0");
  if (kernel.kernel >= max_family_kernels) throw_bad_argument("kernel", kernel.kernel, "0 to 127");
  check_ns("shared_ns", kernel.shared_ns);
}

}  // namespace

void check(std::span<kernel_facts const> kernels) {
  if (kernels.empty()) throw_bad_argument("kernels", kernels.size(), "at least 1");
  for (auto const& kernel : kernels) check(kernel);
}

void check(family_facts const& family) {
  check_min("blocks_per_multiprocessor", family.blocks_per_multiprocessor, 1);
  check_min("max_kernels", family.max_kernels, 2);
}

void check(launch_costs const& costs) {
  check_min("multiprocessors", costs.multiprocessors.value(), 1);
  check_ns("start_ns", costs.start_ns);
  check_ns("issue_ns", costs.issue_ns);
}

merge_verdict verdict_alone(kernel_facts const& kernel, family_facts const& family,
                            launch_costs const& costs) {
  if (family.spills) return merge_verdict::spills;
  if (kernel.family != family.family) return merge_verdict::other_family;
  if (kernel.blocks >= levels_of_a_full_device * costs.slots_of(kernel.blocks_per_multiprocessor))
    return merge_verdict::grid_fills_device;
  if (kernel.needs_occupancy && family.blocks_per_multiprocessor < kernel.blocks_per_multiprocessor)
    return merge_verdict::occupancy_lost;
  if (kernel.time_varies && is_long(double(kernel.block_ns), costs)) return merge_verdict::time_varies;
  return merge_verdict::merge;
}

namespace {

merge_verdict verdict_without_times(std::span<kernel_facts const> kernels, family_facts const& family,
                                    launch_costs const& costs) {
  if (kernels.size() > family.max_kernels) return merge_verdict::too_many_kernels;
  std::uint64_t argument_bytes = 0;
  for (auto const& kernel : kernels) {
    auto const alone = verdict_alone(kernel, family, costs);
    if (alone != merge_verdict::merge) return alone;
    if (kernel.priority != kernels[0].priority) return merge_verdict::priority_differs;
    argument_bytes += kernel.argument_bytes;
  }
  return argument_bytes > family.argument_bytes ? merge_verdict::arguments_do_not_fit : merge_verdict::merge;
}

/// A short kernel's launch would last as long as the long one's.
bool lengths_differ(std::span<kernel_facts const> kernels, std::uint64_t slots) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest_of_levels = 0;
  for (auto const& kernel : kernels) {
    shortest = std::min(shortest, kernel.block_ns);
    if (kernel.blocks > slots) longest_of_levels = std::max(longest_of_levels, kernel.block_ns);
  }
  return static_cast<double>(longest_of_levels) > max_length_ratio * static_cast<double>(shortest);
}

/// Waiting kernels wait for the host, and a merge saves the host's time for all of them but one.
bool pays(predicted_times const& times, std::size_t kernels, launch_costs const& costs) {
  auto const saved = costs.issue_ns * static_cast<double>(kernels - 1);
  auto const lost = times.merged_busy - times.apart_busy;
  return saved - lost >= min_gain * times.merged;
}

merge_decision decide_by_times(std::span<kernel_facts const> kernels, family_facts const& family,
                               launch_costs const& costs) {
  if (std::ranges::any_of(kernels, [](auto const& kernel) { return kernel.block_ns == 0; })) return {};
  if (lengths_differ(kernels, costs.slots_of(family.blocks_per_multiprocessor)))
    return {merge_verdict::lengths_differ};
  auto const times = predict_checked(kernels, family, costs);
  return {pays(times, kernels.size(), costs) ? merge_verdict::merge : merge_verdict::no_gain, times};
}

}  // namespace

merge_decision decide_merge(std::span<kernel_facts const> kernels, family_facts const& family,
                            launch_costs const& costs) {
  if (kernels.size() < 2) throw_bad_argument("kernels", kernels.size(), "at least 2");
  check(kernels);
  check(family);
  check(costs);
  auto const verdict = verdict_without_times(kernels, family, costs);
  if (verdict != merge_verdict::merge) return {verdict};
  return decide_by_times(kernels, family, costs);
}

named_policy const& description(merge_verdict verdict) {
  return verdicts.at(static_cast<std::size_t>(verdict));
}

std::vector<verdict_counts::named_count> verdict_counts::listed() const {
  std::vector<named_count> all;
  for (std::size_t i = 0; i < merge_verdict_count; ++i) all.push_back({verdicts[i], counts_[i]});
  return all;
}

}  // namespace ballast::detail

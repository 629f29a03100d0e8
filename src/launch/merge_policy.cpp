// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "ballast/detail/base/policy_registry.hpp"
#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"
#include "merge_model.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint64_t levels_of_a_full_device = 4;  // alone, the last is at most a quarter of the time
constexpr double max_length_ratio = 8;
constexpr double min_gain = 0.01;  // of the merged time, which is not known more exactly

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

/// True if a kernel that fills the device more than once has much longer blocks than another: a short
/// kernel's launch would last as long as the long one's.
bool lengths_differ(std::span<kernel_facts const> kernels, std::uint64_t slots) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max(), longest_of_levels = 0;
  for (auto const& kernel : kernels) {
    shortest = std::min(shortest, kernel.block_ns);
    if (kernel.blocks > slots) longest_of_levels = std::max(longest_of_levels, kernel.block_ns);
  }
  return static_cast<double>(longest_of_levels) > max_length_ratio * static_cast<double>(shortest);
}

/// True if a merge gains enough. Waiting kernels wait for the host, and a merge saves the host's time for all
/// but one of them.
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

/// The oldest kernels, up to `most`.
void take_oldest(merge_view const& view, std::size_t most, merge_group& first) {
  first.resize(std::min(most, view.waiting.size()));
  std::iota(first.begin(), first.end(), std::size_t{0});
}

class none_policy final : public merge_policy {
  void choose_first(merge_view const& view, merge_group& first) const override {
    take_oldest(view, 1, first);
  }
};

class neighbour_policy final : public merge_policy {
  void choose_first(merge_view const& view, merge_group& first) const override {
    take_oldest(view, 2, first);
  }
};

/// How well a launch of `blocks` blocks fills its last level; more is better.
using fill_rank = std::uint64_t (*)(std::uint64_t blocks, std::uint64_t multiprocessors);

std::uint64_t plain_remainder(std::uint64_t blocks, std::uint64_t multiprocessors) {
  return blocks % multiprocessors;
}

/// The place of the last block in its level, from 0, so that a full last level ranks first and not last.
std::uint64_t remainder_of_last_block(std::uint64_t blocks, std::uint64_t multiprocessors) {
  return (blocks - 1) % multiprocessors;
}

/// The first of the queue, with the partner whose blocks fill the last level best; the earlier one of equals.
class alignment_policy final : public merge_policy {
 public:
  explicit alignment_policy(fill_rank rank) : rank_(rank) {}

 private:
  void choose_first(merge_view const& view, merge_group& first) const override {
    first.push_back(0);
    if (view.waiting.size() > 1) first.push_back(partner_of_first(view));
  }

  std::size_t partner_of_first(merge_view const& view) const {
    std::size_t best = 1;
    auto best_rank = rank_of(view, 0, best);
    std::uint64_t const highest_rank = view.multiprocessors.value() - 1;
    for (std::size_t other = 2; other < view.waiting.size() && best_rank < highest_rank; ++other) {
      auto const rank = rank_of(view, 0, other);
      if (rank > best_rank) best = other, best_rank = rank;
    }
    return best;
  }

  std::uint64_t rank_of(merge_view const& view, std::size_t one, std::size_t other) const {
    std::uint64_t const sum = std::uint64_t{view.waiting[one].blocks} + view.waiting[other].blocks;
    return rank_(sum, view.multiprocessors.value());
  }

  fill_rank rank_;
};

class together_policy final : public merge_policy {
  void choose_first(merge_view const& view, merge_group& first) const override {
    take_oldest(view, view.max_kernels, first);
    auto const length = [&](std::size_t place) { return view.waiting[place].block_ns; };
    if (!std::ranges::is_sorted(first, std::ranges::greater(), length))
      std::ranges::stable_sort(first, std::ranges::greater(), length);
  }
};

std::unique_ptr<merge_policy> make_none() { return std::make_unique<none_policy>(); }
std::unique_ptr<merge_policy> make_neighbour() { return std::make_unique<neighbour_policy>(); }
std::unique_ptr<merge_policy> make_alignment() { return std::make_unique<alignment_policy>(plain_remainder); }
std::unique_ptr<merge_policy> make_alignment_fixed() {
  return std::make_unique<alignment_policy>(remainder_of_last_block);
}
std::unique_ptr<merge_policy> make_together() { return std::make_unique<together_policy>(); }

constexpr registry_entry<std::unique_ptr<merge_policy> (*)()> merge_choices[] = {
    {{"none", "each kernel is a launch of its own"}, make_none},
    {{"neighbour", "each kernel with the next one of the queue"}, make_neighbour},
    {{"alignment",
      "the first with the one that gives the largest remainder of blocks by multiprocessors, as published"},
     make_alignment},
    {{"alignment_fixed", "as alignment, but blocks that fill the last level are the best fit, not the worst"},
     make_alignment_fixed},
    {{"together", "as many as one launch takes, those with the longest blocks first (the default)"},
     make_together}};

void check_candidate(merge_candidate const& candidate) {
  if (candidate.blocks < 1) throw_bad_argument("blocks", candidate.blocks, "at least 1");
  if (candidate.block_ns < 0) throw_bad_argument("block_ns", candidate.block_ns, "at least 0");
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

void merge_policy::first_group(merge_view const& view, merge_group& first) const {
  if (view.multiprocessors.value() < 1)
    throw_bad_argument("multiprocessors", view.multiprocessors.value(), "at least 1");
  if (view.max_kernels < 2) throw_bad_argument("max_kernels", view.max_kernels, "at least 2");
  std::ranges::for_each(view.waiting, check_candidate);
  first.clear();
  if (!view.waiting.empty()) choose_first(view, first);
}

std::vector<merge_group> merge_policy::group(merge_view const& view) const {
  std::vector<merge_candidate> left(view.waiting.begin(), view.waiting.end());
  merge_group places(left.size()), first;
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<merge_group> groups;
  for (;;) {
    first_group({left, view.multiprocessors, view.max_kernels}, first);
    if (first.empty()) return groups;
    auto& group = groups.emplace_back();
    for (auto const place : first) group.push_back(places[place]);
    std::ranges::sort(first, std::ranges::greater());
    for (auto const place : first) {
      left.erase(left.begin() + std::ptrdiff_t(place));
      places.erase(places.begin() + std::ptrdiff_t(place));
    }
  }
}

std::unique_ptr<merge_policy> make_merge_policy(std::string_view name) {
  return find(merge_choices, "merge", name)();
}

std::vector<std::uint64_t> blocks_of_launches(merge_view const& view, std::span<merge_group const> groups) {
  std::vector<std::uint64_t> blocks;
  for (auto const& group : groups) {
    std::uint64_t sum = 0;
    for (auto const place : group) sum += view.waiting[place].blocks;
    blocks.push_back(sum);
  }
  return blocks;
}

}  // namespace ballast::detail

std::vector<ballast::named_policy> ballast::merge_policies() { return descriptions(detail::merge_choices); }

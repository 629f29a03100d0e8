// SPDX-License-Identifier: Apache-2.0
#include "kernel_table.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "ballast/detail/launch/ordered_rings.cuh"
#include "ballast/device.hpp"
#include "merge_model.hpp"

namespace ballast::detail {
namespace {

struct numbered_family {
  std::uint16_t number;
  std::uint16_t kernels = 0;
};

}  // namespace

mergeable_kernels::mergeable_kernels(kernel_set const* set) : set_(set) {
  if (set == nullptr) return;
  std::map<std::uint32_t, kernel_code> alone;
  std::set<std::uint32_t> in_rings;
  for (auto const& entry : set->entries()) {
    if (entry.key == entry_key_of<lone_launch>) alone[entry.kernel] = entry.code;
    if (entry.key == entry_key_of<ordered_rings_ref>) in_rings.insert(entry.kernel);
  }
  std::map<void (*)(void const*, host_block_context&), numbered_family> families;  // by their code
  for (auto const& entry : set->entries()) {
    if (entry.key != entry_key_of<merged_launch>) continue;
    auto const& listed = set->kernels()[entry.kernel];
    auto& family =
        families.try_emplace(entry.code.host_function, numbered_family{std::uint16_t(families.size())})
            .first->second;
    kernels_.push_back({.key = listed.key,
                        .bytes = listed.bytes,
                        .alone = alone.at(entry.kernel),
                        .merged = entry.code,
                        .needs_occupancy = listed.needs_occupancy,
                        .family = family.number,
                        .index = family.kernels++,
                        .number = entry.kernel,
                        .fits_ring = in_rings.contains(entry.kernel)});
    kernels_.back().alone.name = listed.name;
  }
  families_ = std::uint32_t(families.size());
}

namespace {

launch_costs costs_on(compute_device const& device) {
  auto const multiprocessors = std::uint32_t(std::max(1, device.properties().multiprocessors));
  return {.multiprocessors = multiprocessor_count(multiprocessors),
          .start_ns = device.costs().start_ns,
          .issue_ns = device.costs().merged_launch_ns};
}

/// Some values of a thread, which cost less than a launch: the nanodroplet's merged kernel has 32 bytes more
/// than its heaviest alone.
constexpr int few_spilled_bytes = 64;

std::uint32_t blocks_at_once(kernel_resources const& needs) {
  return std::uint32_t(std::max(1, needs.blocks_per_multiprocessor));
}

}  // namespace

kernel_table::kernel_table(compute_device& device, mergeable_kernels const& kernels)
    : costs_(costs_on(device)) {
  families_.resize(kernels.families());
  blocks_alone_.resize(kernels.families());
  std::vector<int> local_bytes_alone(kernels.families());  // the most of a family's members
  for (auto const& kernel : kernels.kernels()) {
    auto const alone = device.resources(kernel.alone), merged = device.resources(kernel.merged);
    auto& local_bytes = local_bytes_alone[kernel.family];
    local_bytes = std::max(local_bytes, alone.spill_bytes);
    blocks_alone_[kernel.family].push_back(blocks_at_once(alone));
    families_[kernel.family] = {.family = kernel.family,
                                .blocks_per_multiprocessor = blocks_at_once(merged),
                                .max_kernels = merged_launch::max_kernels,
                                .argument_bytes = merged_launch::max_argument_bytes,
                                .spills = merged.spill_bytes > local_bytes + few_spilled_bytes};
  }
  if (auto const* const set = kernels.set())
    for (auto const& kernel : set->kernels())
      if (kernels.find(kernel.key) == nullptr) device.resources(kernel.code);
  for (auto const& family : families_) times_.emplace_back(family, costs_);
}

kernel_facts kernel_table::facts(mergeable_kernel const& kernel, std::uint32_t blocks,
                                 std::int32_t priority) const {
  return {.family = kernel.family,
          .kernel = kernel.index,
          .blocks = blocks,
          .blocks_per_multiprocessor = blocks_alone_[kernel.family][kernel.index],
          .block_ns = times_[kernel.family].block_ns(kernel.index),
          .shared_ns = times_[kernel.family].shared_ns(kernel.index),
          .priority = priority,
          .argument_bytes = pieces_of(kernel) * argument_piece,
          .needs_occupancy = kernel.needs_occupancy,
          .time_varies = times_[kernel.family].varies(kernel.index)};
}

std::int64_t kernel_table::expected_ns(kernel_facts const& kernel) const {
  auto const at_once = std::uint64_t{costs_.multiprocessors.value()} * kernel.blocks_per_multiprocessor;
  // Mostly one level, and a division takes as long as all else here.
  auto const levels = kernel.blocks <= at_once ? 1 : (kernel.blocks + at_once - 1) / at_once;
  auto const levels_ns = kernel.block_ns * std::int64_t(levels);
  return std::max(levels_ns, std::int64_t(kernel.blocks * kernel.shared_ns));
}

bool kernel_table::ends_differ(std::span<kernel_facts const> kernels, double busy_ns) const {
  constexpr double about_as_long = 1.5;
  auto const length = [&](kernel_facts const& kernel) { return expected_ns(kernel); };
  auto const [shortest, longest] = std::ranges::minmax(kernels | std::views::transform(length));
  auto const launch_ns = std::max(double(longest), busy_ns);
  return shortest == 0 || launch_ns > about_as_long * double(shortest) || is_long(launch_ns, costs_);
}

void kernel_table::learn_ends(std::span<kernel_facts const> kernels, std::span<std::int64_t const> spans_ns) {
  auto const& family = families_[kernels.front().family];
  std::uint64_t blocks = 0;
  for (auto const& kernel : kernels) blocks += kernel.blocks;
  if (blocks <= costs_.slots_of(family.blocks_per_multiprocessor))
    times_[family.family].record_ends(kernels, spans_ns);
}

void kernel_table::learn(std::span<kernel_facts const> kernels, predicted_times const& predicted,
                         std::int64_t span_ns) {
  if (kernels.empty() || span_ns < 1) return;
  auto& times = times_[kernels.front().family];
  if (kernels.size() == 1) return times.record_alone(kernels.front(), span_ns);
  auto const is_known = [](kernel_facts const& kernel) { return kernel.block_ns != 0; };
  if (predicted.merged_busy <= 0 && std::ranges::all_of(kernels, is_known)) return;  // merged unjudged
  times.record_merged(kernels, predicted.unshared_busy, span_ns);
  if (predicted.merged_busy > 0) errors_.record(predicted.merged_busy, double(span_ns));
}

}  // namespace ballast::detail

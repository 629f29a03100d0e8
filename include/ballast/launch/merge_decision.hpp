// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ballast/launch/kernel_facts.hpp"
#include "ballast/launch/merge_model.hpp"
#include "ballast/launch/named_policy.hpp"

namespace ballast::inline launch {

/// Whether kernels become one launch, or the first reason against it.
enum class merge_verdict : std::uint8_t {
  merge,
  too_many_kernels,
  other_family,
  spills,
  priority_differs,
  arguments_do_not_fit,
  grid_fills_device,
  occupancy_lost,
  lengths_differ,
  no_gain,
  learned
};
inline constexpr std::size_t merge_verdict_count = 11;

/// Its name, as in the enumeration, and one sentence for a report.
named_policy const& description(merge_verdict verdict);

struct merge_decision {
  merge_verdict verdict = merge_verdict::merge;
  /// What the verdict is founded on: all 0 if a time is unknown, or if the facts before it were enough.
  predicted_times predicted{};
};

/// Whether `kernels`, in the order in which their blocks are to begin, should be one launch of the family's
/// merged kernel. A kernel whose time is unknown is taken to be short and speaks neither for lengths_differ
/// nor for no_gain: to issue a launch takes the host some microseconds, which merging saves in any case.
/// Never says `learned`, which merge_filter does. Throws bad_argument for what `check` refuses, and
/// ("kernels") for fewer than two. O(kernels), allocates nothing; pure, any thread may call.
merge_decision decide_merge(std::span<kernel_facts const> kernels, family_facts const& family,
                            launch_costs const& costs);

/// What speaks against one kernel in any merged launch of the family; `merge` if nothing does. Checks
/// nothing.
merge_verdict verdict_alone(kernel_facts const& kernel, family_facts const& family,
                            launch_costs const& costs);

/// How often each verdict was given.
class verdict_counts {
 public:
  struct named_count {
    named_policy verdict;
    std::uint64_t count;
  };

  void add(merge_verdict verdict) { ++counts_[static_cast<std::size_t>(verdict)]; }
  void add(verdict_counts const& others) {
    for (std::size_t i = 0; i < merge_verdict_count; ++i) counts_[i] += others.counts_[i];
  }
  std::uint64_t of(merge_verdict verdict) const { return counts_[static_cast<std::size_t>(verdict)]; }
  std::uint64_t refusals() const;           ///< all but `merge`
  std::vector<named_count> listed() const;  ///< every verdict, in the order of the enumeration

 private:
  std::array<std::uint64_t, merge_verdict_count> counts_{};
};

}  // namespace ballast::inline launch

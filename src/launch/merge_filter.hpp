// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/policy/merge.hpp"

namespace ballast::detail {

/// Decides about merges for one device, counts the verdicts, and learns which kernels are better left apart
/// whatever the model says: a set of kernels of a family whose launch as one was slower than predicted by
/// more than a tenth, and slower than launches on a stream each were predicted, three times in a row is
/// refused as `learned`, but for one time in 64; a launch that is not slower ends that. How often a kernel is
/// in a launch, and with how many blocks, does not tell sets apart.
///
/// Remembers 256 sets; a further one that became slow may take the place of another, which is then merged
/// again. One thread at a time; nothing is allocated after construction.
class merge_filter {
 public:
  /// Throws bad_argument for what `check` refuses.
  explicit merge_filter(launch_costs const& costs);

  /// As the function of this name, and `learned`. Counted.
  merge_decision decide_merge(std::span<kernel_facts const> kernels, family_facts const& family);

  /// The kernels ran as one launch of the first one's family in `span_ns`, from the begin of its first block
  /// to the end of its last; `predicted` is what decide_merge() said of them, all 0 if nothing was predicted,
  /// which teaches nothing. Throws bad_argument for what `check` refuses and ("predicted", "span_ns") unless
  /// its merged_busy is finite and at least 0, and the span at least 1.
  void record(std::span<kernel_facts const> kernels, predicted_times const& predicted, std::int64_t span_ns);

  /// Counts a verdict that was given without asking.
  void add(merge_verdict verdict) { counts_.add(verdict); }
  verdict_counts const& counts() const { return counts_; }

 private:
  struct kernel_set {
    std::uint32_t family = 0;
    std::array<std::uint64_t, max_family_kernels / 64> kernels{};
    bool operator==(kernel_set const&) const = default;
  };
  struct remembered {
    kernel_set set;
    std::uint32_t slow_in_a_row = 0, refused = 0;
  };

  static kernel_set set_of(std::span<kernel_facts const> kernels);
  remembered& slot_of(kernel_set const& set);
  bool refuses(kernel_set const& set);

  launch_costs costs_;
  verdict_counts counts_;
  std::vector<remembered> sets_;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/detail/launch/order_policy.hpp"

namespace ballast::detail {

/// Decides about merges for one device, counts the verdicts, and learns which kernels are better left apart
/// whatever the model predicts. It refuses a set of kernels as `learned` if its merged launch was, three
/// times in a row, slower than predicted by more than a tenth and slower than the prediction for separate
/// streams. One merge in 64 is still tried, and a launch that is not slower ends the refusal. Sets do not
/// distinguish how often a kernel occurs, or its number of blocks.
///
/// Remembers 256 sets; a new slow set may replace another, which is then merged again. One thread at a time;
/// allocates nothing after construction.
class merge_filter {
 public:
  /// Throws bad_argument as check() of these costs.
  explicit merge_filter(launch_costs const& costs);

  /// Like the function of this name, but can also return the verdict `learned`, and counts verdicts.
  merge_decision decide_merge(std::span<kernel_facts const> kernels, family_facts const& family);

  /// Learns that the kernels ran as one launch of the first one's family in `span_ns`, from the start of its
  /// first block to the end of its last. `predicted` is the prediction of decide_merge(); if it is all 0,
  /// nothing is learned. Throws bad_argument as check(), and ("predicted", "span_ns") unless its merged_busy
  /// is finite and at least 0, and the span at least 1.
  void record(std::span<kernel_facts const> kernels, predicted_times const& predicted, std::int64_t span_ns);

  /// Counts a verdict that another function gave.
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

/// The oldest launch of a launch stream, as the plan sees it.
struct offered_launch {
  waiting_launch order;    ///< with its launch stream's number
  bool is_listed = false;  ///< a kernel of a set, described by `kernel`; else it is never merged
  kernel_facts kernel{};
};

struct planned_launch {
  std::uint32_t stream = 0;
  std::vector<std::uint32_t> launch_streams;  ///< the launch streams of these launches, in the order of their
                                              ///< blocks
  std::vector<kernel_facts> kernels;          ///< facts of the same kernels, if they are listed
  predicted_times predicted{};                ///< of the launches together, if their times are known; else 0
  bool may_chain = false;                     ///< later launches of their launch streams may join them
};

/// Decides what is issued next. The order policy chooses a launch and a stream, the merge policy other
/// launches of its family to merge with it, and a filter whether to merge. Pure: no clock, no device. One
/// thread at a time.
class launch_plan {
 public:
  /// Without a merge policy nothing is merged. `families` by number.
  launch_plan(std::unique_ptr<order_policy> order, std::unique_ptr<merge_policy> merge,
              std::vector<family_facts> families, launch_costs const& costs, bool filter_merges = true);

  /// Offers a launch that may be issued: at most one per launch stream at a time.
  void offer(offered_launch const& launch);
  bool has_offer_of(std::uint32_t launch_stream) const {
    return launch_stream < index_of_.size() && index_of_[launch_stream] != no_index;
  }
  /// Forgets the launch stream's offer.
  void withdraw(std::uint32_t launch_stream);
  /// Records that earlier launches of the launch stream have ended.
  void predecessor_finished(std::uint32_t launch_stream);
  std::size_t offers() const { return waiting_.size(); }

  /// Sets whether later launches may be merged; at first they may, if there is a merge policy.
  void allow_merging(bool allowed) { may_merge_ = allowed; }
  /// The next launch, whose offers it withdraws; null if nothing may be issued now. Valid until the next
  /// call. `in_flight` as in order_view.
  planned_launch const* next(std::span<std::uint32_t const> in_flight);

  merge_filter& filter() { return filter_; }
  merge_filter const& filter() const { return filter_; }

 private:
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};

  void choose_companions(std::size_t leader);
  void gather_candidates(std::size_t leader);
  void keep_oldest(std::vector<std::size_t>& places, std::size_t most) const;
  void take(std::span<std::size_t const> candidates);
  void count_if_unmergeable(std::size_t place);
  bool may_lead(std::size_t place) const;
  bool is_mergeable(std::size_t place) const;
  bool may_go_with(std::size_t place, std::size_t leader) const;

  std::unique_ptr<order_policy> order_;
  std::unique_ptr<merge_policy> merge_;
  std::vector<family_facts> families_;
  launch_costs costs_;
  merge_filter filter_;
  bool filter_merges_, may_merge_ = true;
  std::vector<waiting_launch> waiting_;
  std::vector<offered_launch> offers_;   // of waiting_, in the same order
  std::vector<std::uint32_t> index_of_;  // by launch stream
  std::vector<std::size_t> places_;      // of the candidates
  std::vector<merge_candidate> candidates_;
  merge_group group_;
  planned_launch planned_;
};

}  // namespace ballast::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ballast/policy/merge.hpp"
#include "ballast/policy/order.hpp"
#include "merge_filter.hpp"

namespace ballast::detail {

/// The oldest launch of a launch stream, as the plan sees it.
struct offered_launch {
  waiting_launch order;    ///< with its launch stream's number
  bool is_listed = false;  ///< a kernel of a list, of which `kernel` tells; else nothing goes with it
  kernel_facts kernel{};
};

struct planned_launch {
  std::uint32_t stream = 0;
  std::vector<std::uint32_t>
      launch_streams;                 ///< whose oldest launches these are, in the order of their blocks
  std::vector<kernel_facts> kernels;  ///< of the same, if they are listed
  predicted_times predicted{};        ///< of several, if their times are known
};

/// Decides what is issued next: the order policy names a launch and a stream, the merge policy which others
/// of its family would go with it, and a filter whether they do. Pure: no clock, no device. One thread at a
/// time.
class launch_plan {
 public:
  /// Without a merge policy each launch is one of its own. `families` by number.
  launch_plan(std::unique_ptr<order_policy> order, std::unique_ptr<merge_policy> merge,
              std::vector<family_facts> families, launch_costs const& costs, bool filter_merges = true);

  /// At most one of each launch stream at a time.
  void offer(offered_launch const& launch);
  bool has_offer_of(std::uint32_t launch_stream) const {
    return launch_stream < index_of_.size() && index_of_[launch_stream] != no_index;
  }
  /// Forgets the launch stream's offer.
  void withdraw(std::uint32_t launch_stream);
  /// What the launch stream launched before is done.
  void predecessor_finished(std::uint32_t launch_stream);
  std::size_t offers() const { return waiting_.size(); }

  /// Whether the next ones may be merged; at first they may, if there is a merge policy.
  void allow_merging(bool allowed) { may_merge_ = allowed; }
  /// The next launch, whose offers are withdrawn; null if nothing may be issued now. Valid until the next
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
  bool is_mergeable(std::size_t place) const;
  bool may_go_with(std::size_t place, std::size_t leader) const;

  std::unique_ptr<order_policy> order_;
  std::unique_ptr<merge_policy> merge_;
  std::vector<family_facts> families_;
  launch_costs costs_;
  merge_filter filter_;
  bool filter_merges_, may_merge_ = true;
  std::vector<waiting_launch> waiting_;
  std::vector<offered_launch> offers_;   // of waiting_, place by place
  std::vector<std::uint32_t> index_of_;  // by launch stream
  std::vector<std::size_t> places_;      // of the candidates
  std::vector<merge_candidate> candidates_;
  merge_group group_;
  planned_launch planned_;
};

}  // namespace ballast::detail

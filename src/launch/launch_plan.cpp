// SPDX-License-Identifier: Apache-2.0
#include "launch_plan.hpp"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <cmath>
#include <limits>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t remembered_sets = 256;
constexpr double slower = 1.1;
constexpr std::uint32_t slow_launches_to_refuse = 3;
constexpr std::uint32_t retry_interval = 64;

constexpr std::uint64_t max_launch_blocks = std::numeric_limits<std::int32_t>::max();  // CUDA's

}  // namespace

merge_filter::merge_filter(launch_costs const& costs) : costs_(costs), sets_(remembered_sets) {
  check(costs);
}

merge_decision merge_filter::decide_merge(std::span<kernel_facts const> kernels, family_facts const& family) {
  auto decision = detail::decide_merge(kernels, family, costs_);
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
  auto hash = boost::hash_value(set.kernels);
  boost::hash_combine(hash, set.family);
  return sets_[hash % sets_.size()];
}

launch_plan::launch_plan(std::unique_ptr<order_policy> order, std::unique_ptr<merge_policy> merge,
                         std::vector<family_facts> families, launch_costs const& costs, bool filter_merges)
    : order_(std::move(order)),
      merge_(std::move(merge)),
      families_(std::move(families)),
      costs_(costs),
      filter_(costs),
      filter_merges_(filter_merges) {}

void launch_plan::offer(offered_launch const& launch) {
  auto const launch_stream = launch.order.launch_stream;
  if (index_of_.size() <= launch_stream) index_of_.resize(std::size_t{launch_stream} + 1, no_index);
  index_of_[launch_stream] = std::uint32_t(waiting_.size());
  waiting_.push_back(launch.order);
  offers_.push_back(launch);
}

void launch_plan::withdraw(std::uint32_t launch_stream) {
  auto const place = index_of_[launch_stream];
  waiting_[place] = waiting_.back();
  offers_[place] = offers_.back();
  index_of_[waiting_[place].launch_stream] = place;
  index_of_[launch_stream] = no_index;
  waiting_.pop_back();
  offers_.pop_back();
}

void launch_plan::predecessor_finished(std::uint32_t launch_stream) {
  if (has_offer_of(launch_stream)) waiting_[index_of_[launch_stream]].predecessor_on.reset();
}

planned_launch const* launch_plan::next(std::span<std::uint32_t const> in_flight) {
  auto const decision = order_->decide({waiting_, in_flight});
  if (!decision) return nullptr;
  planned_.stream = decision->stream;
  choose_companions(decision->launch);
  for (auto const launch_stream : planned_.launch_streams) withdraw(launch_stream);
  return &planned_;
}

void launch_plan::choose_companions(std::size_t leader) {
  planned_.predicted = {};
  planned_.may_chain = may_lead(leader);
  gather_candidates(leader);
  take({places_.data(), 1});
  if (waiting_.size() > 1) count_if_unmergeable(leader);
  if (places_.size() < 2) return;
  auto const& family = families_[offers_[leader].kernel.family];
  merge_->first_group({candidates_, costs_.multiprocessors, family.max_kernels}, group_);
  for (auto& candidate : group_) candidate = places_[candidate];
  take(group_);
  if (group_.size() < 2) return;
  auto const decision = filter_.decide_merge(planned_.kernels, family);
  if (filter_merges_ && decision.verdict != merge_verdict::merge) return take({places_.data(), 1});
  planned_.predicted = decision.predicted;
}

void launch_plan::take(std::span<std::size_t const> places) {
  planned_.launch_streams.clear();
  planned_.kernels.clear();
  for (auto const place : places) {
    planned_.launch_streams.push_back(waiting_[place].launch_stream);
    if (offers_[place].is_listed) planned_.kernels.push_back(offers_[place].kernel);
  }
}

/// Keeps the `most` oldest of these launches, in the order of their submission.
void launch_plan::keep_oldest(std::vector<std::size_t>& places, std::size_t most) const {
  auto const age = [&](std::size_t place) { return waiting_[place].submitted; };
  if (places.size() > most) {
    std::ranges::nth_element(places, places.begin() + std::ptrdiff_t(most), {}, age);
    places.resize(most);
  }
  if (!std::ranges::is_sorted(places, {}, age)) std::ranges::sort(places, {}, age);
}

/// Lists the launches that one launch may carry out: the leader first, then others by age, up to the limit of
/// one launch.
void launch_plan::gather_candidates(std::size_t leader) {
  places_.clear();
  candidates_.clear();
  for (std::size_t place = 0; place < waiting_.size() && planned_.may_chain; ++place)
    if (place != leader && may_go_with(place, leader)) places_.push_back(place);
  if (places_.empty()) return places_.push_back(leader);
  auto const& family = families_[offers_[leader].kernel.family];
  keep_oldest(places_, family.max_kernels);
  places_.insert(places_.begin(), leader);
  std::uint64_t bytes = 0, blocks = 0;
  for (auto const place : places_) {
    bytes += offers_[place].kernel.argument_bytes;
    blocks += offers_[place].kernel.blocks;
    if (candidates_.size() == family.max_kernels || bytes > family.argument_bytes) break;
    if (blocks > max_launch_blocks && !candidates_.empty()) break;
    candidates_.push_back({offers_[place].kernel.blocks, offers_[place].kernel.block_ns});
  }
  places_.resize(candidates_.size());
}

/// Counts the reasons that exclude a single kernel, where it might have led others.
void launch_plan::count_if_unmergeable(std::size_t place) {
  if (merge_ == nullptr || !may_merge_ || !offers_[place].is_listed || is_mergeable(place)) return;
  auto const& kernel = offers_[place].kernel;
  filter_.add(verdict_alone(kernel, families_[kernel.family], costs_));
}

bool launch_plan::may_lead(std::size_t place) const {
  return merge_ != nullptr && may_merge_ && offers_[place].is_listed && is_mergeable(place);
}

bool launch_plan::is_mergeable(std::size_t place) const {
  auto const& kernel = offers_[place].kernel;
  return !filter_merges_ || verdict_alone(kernel, families_[kernel.family], costs_) == merge_verdict::merge;
}

/// A companion has no predecessor in flight, or one on the stream of the leader's predecessor.
bool launch_plan::may_go_with(std::size_t place, std::size_t leader) const {
  auto const& one = waiting_[place];
  auto const& first = waiting_[leader];
  if (!offers_[place].is_listed || offers_[place].kernel.family != offers_[leader].kernel.family)
    return false;
  if (one.priority != first.priority || !is_mergeable(place)) return false;
  return !one.predecessor_on || one.predecessor_on == first.predecessor_on;
}

}  // namespace ballast::detail

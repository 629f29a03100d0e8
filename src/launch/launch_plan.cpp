// SPDX-License-Identifier: Apache-2.0
#include "launch_plan.hpp"

#include <algorithm>

#include "ballast/launch/merged_launch.cuh"

namespace ballast::inline launch {

launch_plan::launch_plan(std::unique_ptr<order_policy> order, std::unique_ptr<merge_policy> merge,
                         multiprocessor_count multiprocessors)
    : order_(std::move(order)), merge_(std::move(merge)), multiprocessors_(multiprocessors) {}

void launch_plan::offer(offered_launch const& launch) {
  auto const producer = launch.order.producer;
  if (place_of_.size() <= producer) place_of_.resize(std::size_t{producer} + 1, nowhere);
  place_of_[producer] = std::uint32_t(waiting_.size());
  waiting_.push_back(launch.order);
  offers_.push_back(launch);
}

void launch_plan::withdraw(std::uint32_t producer) {
  auto const place = place_of_[producer];
  waiting_[place] = waiting_.back();
  offers_[place] = offers_.back();
  place_of_[waiting_[place].producer] = place;
  place_of_[producer] = nowhere;
  waiting_.pop_back();
  offers_.pop_back();
}

void launch_plan::predecessor_finished(std::uint32_t producer) {
  if (has_offer_of(producer)) waiting_[place_of_[producer]].predecessor_on.reset();
}

planned_launch const* launch_plan::next(std::span<std::uint32_t const> in_flight) {
  auto const decision = order_->decide({waiting_, in_flight});
  if (!decision) return nullptr;
  planned_.stream = decision->stream;
  planned_.producers.assign(1, waiting_[decision->launch].producer);
  if (offers_[decision->launch].family) choose_companions(decision->launch, decision->stream);
  for (auto const producer : planned_.producers) withdraw(producer);
  return &planned_;
}

void launch_plan::choose_companions(std::size_t leader, std::uint32_t stream) {
  gather_candidates(leader, stream);
  if (places_.size() < 2) return;
  auto const groups = merge_->group({.waiting = candidates_,
                                     .multiprocessors = multiprocessors_,
                                     .most_kernels = merged_launch::most_kernels});
  planned_.producers.clear();
  for (auto const candidate : groups.front())
    planned_.producers.push_back(waiting_[places_[candidate]].producer);
}

// The leader first, then by age, as many as the arguments of one launch have room for.
void launch_plan::gather_candidates(std::size_t leader, std::uint32_t stream) {
  places_.clear();
  for (std::size_t place = 0; place < waiting_.size(); ++place)
    if (place != leader && may_go_with(place, leader, stream)) places_.push_back(place);
  auto const age = [&](std::size_t place) { return waiting_[place].submitted; };
  if (!std::ranges::is_sorted(places_, {}, age)) std::ranges::sort(places_, {}, age);
  places_.insert(places_.begin(), leader);
  candidates_.clear();
  std::uint32_t pieces = 0;
  for (auto const place : places_) {
    pieces += offers_[place].argument_pieces;
    if (candidates_.size() == merged_launch::most_kernels ||
        pieces * argument_piece > merged_launch::most_argument_bytes)
      break;
    candidates_.push_back({offers_[place].blocks, offers_[place].block_ns});
  }
  places_.resize(candidates_.size());
}

// A companion goes behind its own predecessor or has none; and it waits for the leader's only where that is
// its own too.
bool launch_plan::may_go_with(std::size_t place, std::size_t leader, std::uint32_t stream) const {
  auto const& one = waiting_[place];
  auto const& first = waiting_[leader];
  if (offers_[place].family != offers_[leader].family || one.priority != first.priority) return false;
  if (!one.predecessor_on) return true;
  return first.predecessor_on && *one.predecessor_on == stream;
}

}  // namespace ballast::inline launch

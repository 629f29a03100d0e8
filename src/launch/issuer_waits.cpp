// SPDX-License-Identifier: Apache-2.0
// How launches come after those of other producers without the host waiting for these.
#include <algorithm>

#include "issuer.hpp"

namespace ballast::inline launch {

/// A line of a queue that is gone may name an issuer that was where this one is.
bool issuer::is_issued_here(launch_ticket const& ticket) const {
  return ticket.line_->fence() == fence_.get() && ticket.is_issued();
}

/// Whether nothing that comes before `work` is still to be issued, so that its stream can wait for it. Where
/// hardware queues are few, all that shares one with that stream would wait as well.
bool issuer::device_can_wait_before(submission const& work) const {
  if (!waits_on_device_) return false;
  try {
    return std::ranges::all_of(work.prerequisites(), [&](prerequisite const& one) {
      return one.is_met() || (one.moment == nullptr && is_issued_here(one.launch));
    });
  } catch (...) { return false; }  // it cannot be met: the thread will tell whose launch it is
}

/// Behind what comes before `work` and is in flight on other streams than that of `target`.
void issuer::sign_before(submission const& work, issue_lane const& target, signs_of_ends& signs) {
  for (auto const& one : work.prerequisites()) {
    if (one.is_met()) continue;
    auto& lane = lanes_[one.launch.line_->lane()];
    if (&lane == &target) continue;
    std::lock_guard const hold(lane.mutex());
    signs.push_back(lane.on().record_unmeasured());
  }
}

issuer::signs_of_ends issuer::signs_before(planned_launch const& planned, std::uint32_t place) {
  signs_of_ends signs;
  for (auto const producer : planned.producers)
    sign_before(*line_of(producer).chain().front(), lanes_[place], signs);
  return signs;
}

/// Behind what the oldest launch of the line may be issued now; nothing if it may not. Throws what made a
/// prerequisite impossible.
std::optional<issuer::stream_place> issuer::place_of(producer_line const& line,
                                                     submission const& oldest) const {
  auto const behind_own = line.is_in_flight() ? stream_place(line.lane()) : std::nullopt;
  if (oldest.meets_prerequisites()) return behind_own;
  if (follows_others_)
    if (auto const place = place_behind_all(line, oldest)) return place;
  if (way() != issue_way::merged && device_can_wait_before(oldest)) return behind_own;
  return std::nullopt;
}

/// The one lane where all is that is in flight and comes before the launch: its stream keeps the order.
std::optional<issuer::stream_place> issuer::place_behind_all(producer_line const& line,
                                                             submission const& oldest) const {
  stream_place behind;
  if (line.is_in_flight()) behind = line.lane();
  for (auto const& one : oldest.prerequisites()) {
    if (one.is_met()) continue;
    if (one.moment != nullptr || !is_issued_here(one.launch)) return std::nullopt;
    auto const place = one.launch.line_->lane();
    if (behind && *behind != place) return std::nullopt;
    behind = place;
  }
  return behind;
}

/// Whether nothing is in flight any more that the line's oldest launch comes behind.
bool issuer::may_leave_its_lane(producer_line& line) const {
  if (line.is_in_flight()) return false;
  auto const* const oldest = line.chain().front();
  try {
    return oldest == nullptr || oldest->meets_prerequisites();
  } catch (...) { return false; }  // the device is lost
}

}  // namespace ballast::inline launch

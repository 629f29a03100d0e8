// SPDX-License-Identifier: Apache-2.0
// How the issuer's thread learns that launches have ended.
#include <algorithm>

#include "issuer.hpp"

namespace ballast::inline launch {
namespace {

// An event is asked by a call of CUDA that costs as much as a tenth of a launch.
constexpr int events_asked_at_once = 4, signs_given_at_once = 4;
// While producers issue themselves and do not wait, ends only make room.
constexpr std::chrono::nanoseconds between_signs_for_nobody = std::chrono::milliseconds(1);

}  // namespace

bool issuer::sweep() {
  bool found = false;
  int events = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    auto& lane = lanes_[(first_asked_ + i) % lanes_.size()];
    if (lanes_in_flight_[(first_asked_ + i) % lanes_.size()].load(std::memory_order_relaxed) == 0) continue;
    if (lane.is_told_by_events() && ++events > events_asked_at_once) {
      first_asked_ += i;
      break;
    }
    found |= sweep_lane(lane);
  }
  if (!noted_.empty()) close_notes();
  return found;
}

/// A line may have been noted more than once.
void issuer::close_notes() {
  fence_->pass();
  for (auto* const line : noted_) line->tell_watchers();
  std::erase_if(noted_, [](producer_line const* line) { return !line->leaving; });
  std::ranges::sort(noted_);
  noted_.erase(std::unique(noted_.begin(), noted_.end()), noted_.end());
  for (auto* const line : noted_) forget_if_left(*line);
  noted_.clear();
}

bool issuer::sweep_lane(issue_lane& lane) {
  bool found = false;
  while (auto* const ended = lane.ended()) {
    note_end(lane, *ended);
    lane.note_ended();
    found = true;
  }
  return note_kernel_ends(lane) || found;
}

void issuer::note_end(issue_lane& lane, launch_in_flight const& ended) {
  learn(lane, ended);
  for (auto const& member : ended.members)
    if (!member.has_ended) note_end_of(member);
}

/// Kernels of a merged launch end before it; what follows them may begin elsewhere. Those that go on in its
/// chain have ended with the last.
bool issuer::note_kernel_ends(issue_lane& lane) {
  auto* const merged = lane.oldest_telling_each();
  if (merged == nullptr) return false;
  bool found = false;
  std::uint32_t place = 0;
  for (auto& member : merged->members) {
    if (!member.has_ended && lane.has_kernel_ended(place)) {
      member.has_ended = found = true;
      note_end_of(member);
    }
    place += member.launches;
  }
  return found;
}

void issuer::note_end_of(launch_in_flight::member const& member) {
  member.line->note_finished(member.launches);
  ended_unnoted_ += member.launches;
  kernels_in_flight_.fetch_sub(member.launches, std::memory_order_relaxed);
  if (may_leave_its_lane(*member.line)) plan_.predecessor_finished(member.line->number());
  noted_.push_back(member.line);
}

void issuer::learn(issue_lane const& lane, launch_in_flight const& ended) {
  auto const span = lane.span_ns_of_ended();
  if (ended.is_measured) plain_times_.note(span);
  if (span <= 0) return;
  table_.learn(ended.facts, ended.predicted, span);
  // Beside others each launch takes longer, merged or not.
  bool const was_alone = ended.alone_as == counts_.launches.load(std::memory_order_relaxed);
  if (was_alone && ended.predicted.merged_busy > 0) plan_.judge().note(ended.facts, ended.predicted, span);
}

/// Launches that do not tell their end get an event behind them: but once for all that were issued together,
/// and those whose end nobody waits for now and then, since an event costs as much as a part of a launch.
bool issuer::sign_lanes() {
  int given = 0;
  for (auto& lane : lanes_) {
    if (!wants_sign(lane)) continue;
    std::lock_guard const hold(lane.mutex());
    lane.sign();
    if (++given == signs_given_at_once) return true;
  }
  if (given == 0 && clock::now() - signed_at_ > between_signs_for_nobody) signed_at_ = clock::now();
  return given != 0;
}

bool issuer::wants_sign(issue_lane const& lane) const {
  auto const* const newest = lane.newest();
  if (newest == nullptr || newest->tells || newest->behind != nullptr) return false;
  if (!newest->is_watched_only || lane.in_flight() > issue_lane::most_in_flight / 2) return true;
  if (newest->members.front().line->is_watched()) return true;
  return clock::now() - signed_at_ > between_signs_for_nobody;
}

}  // namespace ballast::inline launch

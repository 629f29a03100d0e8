// SPDX-License-Identifier: Apache-2.0
// How producers issue themselves, and which way launches go.
#include <algorithm>

#include "ballast/base/error.hpp"
#include "issuer.hpp"

namespace ballast::inline launch {

bool issuer::issue_at_once(producer_line& line, submission& work) {
  if (!may_issue_at_once(line, work)) return false;
  auto const place = lane_for(line);
  auto& lane = lanes_[place];
  signs_of_ends signs;
  try {
    sign_before(work, lane, signs);
  } catch (...) { return false; }  // the thread will see what it is
  std::unique_lock const hold(lane.mutex(), std::try_to_lock);
  if (!hold || lane.is_full()) return false;
  bool const must_be_first = self_issue_ == self_issue::where_better && way() != issue_way::by_producers;
  if (must_be_first && !line.is_in_flight() && lane.in_flight() != 0) return false;
  try {
    enqueue_at_once(lane, line, work, signs);
  } catch (...) {
    line.fail(std::current_exception(), !is_sound());
    return true;
  }
  line.note_issued(place, 1);
  lane.note_issued();
  if (soundly_asleep_.load(std::memory_order_seq_cst)) bell_.ring();
  return true;
}

void issuer::enqueue_at_once(issue_lane& lane, producer_line& line, submission& work,
                             signs_of_ends const& signs) {
  auto& next = lane.next();
  next.clear();
  next.members.assign(1, {&line, 1, false});
  next.tells = next.is_timed = work.kernel() != nullptr;
  next.is_watched_only = true;
  for (auto const& sign : signs) lane.on().wait_for(*sign);
  enqueue_alone(lane, work);
  count(1);
  counts_.by_producers.fetch_add(1, std::memory_order_relaxed);
  kernels_in_flight_.fetch_add(1, std::memory_order_relaxed);
}

/// Where the line's launches are, else its own; another one, if that is free of launches, where the order
/// asks for no certain stream.
std::uint32_t issuer::lane_for(producer_line const& line) const {
  auto const lanes = std::uint32_t(lanes_.size());
  auto const own = line.number() % lanes;
  if (line.is_in_flight()) return line.lane();
  if (self_issue_ == self_issue::always) return own;
  for (std::uint32_t i = 0; i < lanes; ++i)
    if (lanes_in_flight_[(own + i) % lanes].load(std::memory_order_relaxed) == 0) return (own + i) % lanes;
  return own;
}

bool issuer::is_sound() {
  try {
    device_->check();
    return true;
  } catch (...) { return false; }
}

bool issuer::may_issue_at_once(producer_line const& line, submission const& work) const {
  if (self_issue_ == self_issue::never) return false;
  if (line.submitted() != line.issued() || paused_.load(std::memory_order_seq_cst)) return false;
  if (closed_.load(std::memory_order_relaxed) || stopped_because_.load(std::memory_order_seq_cst) != nullptr)
    return false;
  if (line.is_in_flight() && line.is_in_graph()) return false;
  if (work.has_prerequisites() && !device_can_wait_before(work)) return false;
  if (self_issue_ == self_issue::always || way() == issue_way::by_producers) return true;
  return is_alone(line);
}

/// Where hardware queues are shared, launches behind each other may be in the way of who comes next.
bool issuer::is_alone(producer_line const& line) const {
  auto const own = connections_ < lanes_.size() ? 0 : line.issued() - line.finished();
  return kernels_in_flight_.load(std::memory_order_relaxed) == own &&
         !anyone_waits_.load(std::memory_order_relaxed) &&
         announced_.load(std::memory_order_relaxed) == nullptr;
}

/// Tells the chooser of ways how much has ended, and in how long.
void issuer::note_progress() {
  auto const now = clock::now();
  auto const outstanding = kernels_in_flight_.load(std::memory_order_relaxed) + plan_.offers();
  ways_.note(ended_unnoted_, was_busy_ ? std::chrono::nanoseconds(now - looked_at_).count() : 0, outstanding);
  way_.store(ways_.now(), std::memory_order_relaxed);
  ended_unnoted_ = 0;
  looked_at_ = now;
  bool const may_issue = !paused_.load(std::memory_order_relaxed);
  was_busy_ = kernels_in_flight_.load(std::memory_order_relaxed) != 0 ||
              (may_issue && (plan_.offers() != 0 || planned_ != nullptr));
}

}  // namespace ballast::inline launch

// SPDX-License-Identifier: Apache-2.0
// How the issuer issues many plain launches as one graph.
#include <algorithm>

#include "ballast/base/error.hpp"
#include "issuer.hpp"

namespace ballast::inline launch {

bool issuer::issue_batch() {
  if (!batch_.is_due()) return false;
  auto const empty = std::ranges::find_if(lanes_, [](auto const& lane) { return lane.in_flight() == 0; });
  if (empty == lanes_.end() || !batch_.collect(by_number_)) return false;
  if (!issue_batch(std::uint32_t(empty - lanes_.begin()))) return false;
  fence_->pass();
  for (auto const& member : batch_.members()) {
    member.line->tell_watchers_of_issue();
    if (member.line->held) look_at(*member.line);
  }
  return true;
}

/// False if they are to be issued one by one.
bool issuer::issue_batch(std::uint32_t place) {
  auto& lane = lanes_[place];
  std::lock_guard const hold(lane.mutex());
  if (lane.is_full()) return false;
  auto graph = batch_.launch(lane.on());
  if (graph == nullptr) return false;
  auto& next = lane.next();
  next.clear();
  next.members.assign(batch_.members().begin(), batch_.members().end());
  counts_.launches.fetch_add(1, std::memory_order_relaxed);
  counts_.kernels.fetch_add(batch_.launches(), std::memory_order_relaxed);
  kernels_in_flight_.fetch_add(batch_.launches(), std::memory_order_relaxed);
  for (auto const& member : batch_.members()) {
    plan_.withdraw(member.line->number());
    note_issued(*member.line, place, member.launches, true);
  }
  lane.note_issued();
  lane.note_graph(std::move(graph));
  lanes_with_graph_.push_back(place);
  lane.sign();
  return true;
}

/// Behind a graph nothing is put: the next launches of all its producers would follow each other there.
void issuer::spare_lanes_of_graphs() {
  std::erase_if(lanes_with_graph_, [&](auto const place) { return !lanes_[place].carries_graph(); });
  for (auto const place : lanes_with_graph_) in_flight_[place] = issue_lane::most_in_flight;
}

}  // namespace ballast::inline launch

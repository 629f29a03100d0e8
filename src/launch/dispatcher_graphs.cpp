// SPDX-License-Identifier: Apache-2.0
// How the dispatcher issues many plain launches as one graph.
#include <algorithm>

#include "ballast/error.hpp"
#include "dispatcher.hpp"

namespace ballast::detail {

bool dispatcher::issue_graph() {
  if (!batch_.is_due()) return false;
  auto const empty =
      std::ranges::find_if(dispatch_streams_, [](auto const& target) { return target.in_flight() == 0; });
  if (empty == dispatch_streams_.end() || !batch_.collect(by_number_)) return false;
  if (!issue_graph(std::uint32_t(empty - dispatch_streams_.begin()))) return false;
  fence_->pass();
  for (auto const& member : batch_.members()) {
    member.line->notify_issue_watchers();
    if (member.line->active) update(*member.line);
  }
  return true;
}

/// False if they are to be issued one by one.
bool dispatcher::issue_graph(std::uint32_t place) {
  auto& target = dispatch_streams_[place];
  std::lock_guard const hold(target.mutex());
  if (target.is_full()) return false;
  auto graph = batch_.launch(target.on());
  if (graph == nullptr) return false;
  auto& next = target.next();
  next.clear();
  next.members.assign(batch_.members().begin(), batch_.members().end());
  counts_.launches.fetch_add(1, std::memory_order_relaxed);
  counts_.kernels.fetch_add(batch_.launches(), std::memory_order_relaxed);
  kernels_in_flight_.fetch_add(batch_.launches(), std::memory_order_relaxed);
  for (auto const& member : batch_.members()) {
    plan_.withdraw(member.line->number());
    mark_issued(*member.line, place, member.launches, true);
  }
  target.mark_issued();
  target.attach_graph(std::move(graph));
  graph_streams_.push_back(place);
  target.record_event();
  return true;
}

/// Behind a graph nothing is put: the next launches of all its launch streams would follow each other there.
void dispatcher::mask_graph_streams() {
  std::erase_if(graph_streams_, [&](auto const place) { return !dispatch_streams_[place].carries_graph(); });
  for (auto const place : graph_streams_) in_flight_[place] = dispatch_stream::max_in_flight;
}

}  // namespace ballast::detail

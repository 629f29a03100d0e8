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
  for (auto const& member : batch_.members())
    if (member.line->held) look_at(*member.line);
  return true;
}

/// False if they are to be issued one by one.
bool issuer::issue_batch(std::uint32_t place) {
  auto& lane = lanes_[place];
  std::lock_guard const hold(lane.mutex());
  if (lane.is_full()) return false;
  auto graph = batch_.launch(lane.on());
  if (graph == nullptr) return false;
  auto behind = lane.on().record_unmeasured();
  auto& in_flight = lane.note_issued();
  in_flight.behind = std::move(behind);
  lane.note_graph(std::move(graph));
  in_flight.members.assign(batch_.members().begin(), batch_.members().end());
  for (auto const& [line, count] : batch_.members()) {
    plan_.withdraw(line->number());
    note_issued(*line, place, count);
  }
  counts_.launches.fetch_add(1, std::memory_order_relaxed);
  counts_.kernels.fetch_add(batch_.launches(), std::memory_order_relaxed);
  return true;
}

}  // namespace ballast::inline launch

// SPDX-License-Identifier: Apache-2.0
#include "issue_lane.hpp"

namespace ballast::inline launch {

launch_in_flight& issue_lane::note_issued() {
  auto const issued_at = issued_ == ended_ ? clock::now() : clock::time_point();
  ++issued_;
  launches_[issued_ % most_in_flight].issued_at = issued_at;
  in_flight_.store(std::uint32_t(issued_ - ended_), std::memory_order_relaxed);
  return launches_[issued_ % most_in_flight];
}

launch_in_flight* issue_lane::ended() {
  if (issued_ == ended_) return nullptr;
  auto const number = ended_ + 1;
  auto& oldest = launches_[number % most_in_flight];
  if (oldest.behind != nullptr) return oldest.behind->reached() ? &oldest : nullptr;
  atomic_ref<std::uint64_t, scope::system> const told(records_[number % most_in_flight].number);
  return told.load_acquire() == number ? &oldest : nullptr;
}

std::int64_t issue_lane::span_ns_of_ended() const {
  auto const place = (ended_ + 1) % most_in_flight;
  if (launches_[place].behind == nullptr) return std::int64_t(records_[place].span_ns);
  auto const from = launches_[place].issued_at;
  return from == clock::time_point() ? 0 : std::chrono::nanoseconds(clock::now() - from).count();
}

void issue_lane::note_ended() {
  auto& oldest = launches_[++ended_ % most_in_flight];
  oldest.members.clear();
  oldest.behind.reset();
  in_flight_.store(std::uint32_t(issued_ - ended_), std::memory_order_relaxed);
}

}  // namespace ballast::inline launch

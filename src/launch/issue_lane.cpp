// SPDX-License-Identifier: Apache-2.0
#include "issue_lane.hpp"

#include <algorithm>

namespace ballast::inline launch {

void issue_lane::note_issued() {
  ++issued_;
  in_flight_.fetch_add(1, std::memory_order_release);
}

void issue_lane::note_graph(std::shared_ptr<void const> graph) {
  at(issued_).graph = std::move(graph);
  last_graph_ = issued_;
}

void issue_lane::sign() {
  auto& newest = at(issued_);
  if (in_flight() == 0 || newest.tells || newest.behind != nullptr) return;
  newest.behind = on_->record_unmeasured();
  searched_ = std::min(searched_, issued_ - 1);
}

launch_in_flight* issue_lane::ended() {
  if (in_flight() == 0) return nullptr;
  if (known_ended_ > ended_) return &at(ended_ + 1);
  auto const number = next_signed();
  if (number == none || !has_ended(number)) return nullptr;
  known_ended_ = number;
  return &at(ended_ + 1);
}

/// The oldest launch in flight with a sign of its end: then all before have ended too.
std::uint64_t issue_lane::next_signed() {
  if (signed_ > ended_) return signed_;
  auto const newest = ended_ + in_flight();
  for (searched_ = std::max(searched_, ended_); searched_ < newest;)
    if (at(++searched_).tells || at(searched_).behind != nullptr) return signed_ = searched_;
  return none;
}

bool issue_lane::has_ended(std::uint64_t number) {
  if (!at(number).tells) return at(number).behind->reached();
  atomic_ref<std::uint64_t, scope::system> const told(records_[number % most_in_flight].number);
  return told.load_acquire() == number;
}

launch_in_flight const* issue_lane::newest() const {
  auto const count = in_flight();
  return count == 0 ? nullptr : &at(ended_ + count);
}

bool issue_lane::is_told_by_events() {
  auto const number = known_ended_ > ended_ ? none : next_signed();
  return number != none && !at(number).tells;
}

std::int64_t issue_lane::span_ns_of_ended() const {
  auto const& oldest = at(ended_ + 1);
  if (oldest.tells) return std::int64_t(records_[(ended_ + 1) % most_in_flight].span_ns);
  return oldest.is_measured ? std::chrono::nanoseconds(clock::now() - oldest.issued_at).count() : 0;
}

launch_in_flight* issue_lane::oldest_telling_each() {
  if (in_flight() == 0) return nullptr;
  auto& oldest = at(ended_ + 1);
  return oldest.tells_each ? &oldest : nullptr;
}

bool issue_lane::has_kernel_ended(std::uint32_t place) const {
  auto const number = ended_ + 1;
  atomic_ref<std::uint32_t, scope::system> const told(ends_[number % most_in_flight].number[place]);
  return told.load_acquire() == std::uint32_t(number);
}

void launch_in_flight::clear() {
  members.clear();
  facts.clear();
  predicted = {};
  alone_as = 0;
  tells = tells_each = is_timed = is_watched_only = is_measured = false;
  behind.reset();
  graph.reset();
}

void issue_lane::note_ended() {
  at(++ended_).clear();
  in_flight_.fetch_sub(1, std::memory_order_release);
}

}  // namespace ballast::inline launch

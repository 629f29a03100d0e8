// SPDX-License-Identifier: Apache-2.0
#include "producer_line.hpp"

namespace ballast::inline launch {

void producer_line::check(std::uint64_t number) const {
  if (!has_failed() || finished() >= number) return;
  if (issued() < number) std::rethrow_exception(error_);
  if (lost_.load(std::memory_order_acquire)) std::rethrow_exception(loss_);
}

void producer_line::watch(awaited moment) {
  if (moment == awaited::issue) issue_watched_.store(true, std::memory_order_relaxed);
  watched_.store(true, std::memory_order_relaxed);
  fence_->pass();
}

void producer_line::tell_watchers() {
  if (!is_watched()) return;
  watched_.store(false, std::memory_order_relaxed);
  changed_.ring();
}

void producer_line::tell_watchers_of_issue() {
  if (!issue_watched_.load(std::memory_order_relaxed)) return;
  issue_watched_.store(false, std::memory_order_relaxed);
  changed_.ring();
}

bool producer_line::is_settled(std::uint64_t number) const {
  if (!has_failed()) return finished() >= number;
  return lost_.load(std::memory_order_acquire) || finished() == issued();
}

/// A short burst ends while this looks: to be woken would take about as long again.
bool producer_line::settles(std::uint64_t number, deadline until) {
  for (;;) {
    auto const seen = changed_.rings();
    watch(awaited::end);
    if (is_settled(number)) return true;
    if (!changed_.wait_awake_past(seen, until.at())) return is_settled(number);
  }
}

std::string producer_line::state() const {
  auto const device = device_.lock();
  return "producer " + std::to_string(number_) + ": submitted " + std::to_string(submitted()) + ", issued " +
         std::to_string(issued()) + ", finished " + std::to_string(finished()) + "\n" +
         (device == nullptr ? "" : told_resident(*device));
}

void producer_line::note_issued(std::uint32_t lane, std::uint32_t launches, bool in_graph) {
  in_graph_.store(in_graph, std::memory_order_relaxed);
  lane_.store(lane, std::memory_order_relaxed);
  issued_.store(issued_.load(std::memory_order_relaxed) + launches, std::memory_order_release);
}

void producer_line::note_finished(std::uint32_t launches) {
  finished_.store(finished_.load(std::memory_order_relaxed) + launches, std::memory_order_release);
}

void producer_line::fail(std::exception_ptr error, bool lost) {
  {
    std::lock_guard const hold(error_mutex_);
    if (!failed_.load(std::memory_order_relaxed)) error_ = error;
    if (lost && !lost_.load(std::memory_order_relaxed)) loss_ = std::move(error);
    if (lost) lost_.store(true, std::memory_order_release);
    failed_.store(true, std::memory_order_release);
  }
  changed_.ring();
}

}  // namespace ballast::inline launch

// SPDX-License-Identifier: Apache-2.0
#include "launch_stream_state.hpp"

namespace ballast::detail {

void launch_stream_state::check(std::uint64_t number) const {
  if (!has_failed() || finished() >= number) return;
  if (issued() < number) std::rethrow_exception(error_);
  if (lost_.load(std::memory_order_acquire)) std::rethrow_exception(loss_);
}

void launch_stream_state::watch(launch_phase moment) {
  if (moment == launch_phase::issue) issue_watched_.store(true, std::memory_order_relaxed);
  watched_.store(true, std::memory_order_relaxed);
  fence_->pass();
}

void launch_stream_state::notify_watchers() {
  if (!is_watched()) return;
  watched_.store(false, std::memory_order_relaxed);
  changed_.notify();
}

void launch_stream_state::notify_issue_watchers() {
  if (!issue_watched_.load(std::memory_order_relaxed)) return;
  issue_watched_.store(false, std::memory_order_relaxed);
  changed_.notify();
}

bool launch_stream_state::is_settled(std::uint64_t number) const {
  if (!has_failed()) return finished() >= number;
  return lost_.load(std::memory_order_acquire) || finished() == issued();
}

/// A short burst ends while this looks: to be woken would take about as long again.
bool launch_stream_state::settles(std::uint64_t number, deadline until) {
  for (;;) {
    auto const seen = changed_.epoch();
    watch(launch_phase::end);
    if (is_settled(number)) return true;
    if (!changed_.spin_then_wait_past(seen, until.at())) return is_settled(number);
  }
}

std::string launch_stream_state::state() const {
  auto const device = device_.lock();
  return "launch stream " + std::to_string(number_) + ": submitted " + std::to_string(submitted()) +
         ", issued " + std::to_string(issued()) + ", finished " + std::to_string(finished()) + "\n" +
         (device == nullptr ? "" : describe_resident_holder(*device));
}

void launch_stream_state::mark_issued(std::uint32_t stream_index, std::uint32_t launches, bool in_graph) {
  in_graph_.store(in_graph, std::memory_order_relaxed);
  stream_index_.store(stream_index, std::memory_order_relaxed);
  issued_.store(issued_.load(std::memory_order_relaxed) + launches, std::memory_order_release);
}

void launch_stream_state::mark_finished(std::uint32_t launches) {
  finished_.store(finished_.load(std::memory_order_relaxed) + launches, std::memory_order_release);
}

void launch_stream_state::fail(std::exception_ptr error, bool lost) {
  {
    std::lock_guard const hold(error_mutex_);
    if (!failed_.load(std::memory_order_relaxed)) error_ = error;
    if (lost && !lost_.load(std::memory_order_relaxed)) loss_ = std::move(error);
    if (lost) lost_.store(true, std::memory_order_release);
    failed_.store(true, std::memory_order_release);
  }
  changed_.notify();
}

}  // namespace ballast::detail

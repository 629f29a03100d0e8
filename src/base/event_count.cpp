// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/base/event_count.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "ballast/completion.hpp"
#include "ballast/detail/base/host_waits.hpp"

namespace ballast {

constexpr auto spin_time = std::chrono::microseconds(100);

// Adds the time before other threads can see that this thread looked: either they count it too, or this
// thread adds it.
void detail::slept_time::look(clock::time_point before, clock::time_point now, clock::duration longest) {
  constexpr clock::duration between_notes = std::chrono::milliseconds(1);
  auto latest = latest_.load(std::memory_order_acquire);
  auto const since_any_look = [&] {
    return now.time_since_epoch() - std::max(before.time_since_epoch(), clock::duration(latest));
  };
  auto const since = now.time_since_epoch() - clock::duration(latest);
  if (since_any_look() <= longest) {
    if (since > between_notes) latest_.compare_exchange_strong(latest, now.time_since_epoch().count());
    return;
  }
  std::lock_guard const hold(mutex_);
  latest = latest_.load(std::memory_order_acquire);
  if (since_any_look() <= longest) return;
  total_.fetch_add((since_any_look() - longest).count(), std::memory_order_acq_rel);
  latest_.store(now.time_since_epoch().count(), std::memory_order_release);
}

detail::slept_time& detail::slept_time_of_process() noexcept {
  constinit static slept_time one;
  return one;
}

// Sequential consistency decides the race: either notify() sees the sleeper, or the sleeper sees the new
// epoch.
void event_count::notify() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  std::shared_ptr<detail::end_listener> other;
  {
    std::lock_guard const hold(mutex_);
    other = other_;
  }
  changed_.notify_all();
  if (other != nullptr) other->note_end();
}

bool event_count::wait_past(std::uint64_t seen, clock::time_point until) {
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  bool changed = false;
  {
    std::unique_lock hold(mutex_);
    auto const happened = [&] { return epoch() != seen; };
    if (until == clock::time_point::max()) {
      changed_.wait(hold, happened);
      changed = true;
    } else {
      changed = changed_.wait_until(hold, until, happened);
    }
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  return changed;
}

bool event_count::wait_past(std::uint64_t seen, deadline until) {
  wait_limit limit(until);
  return sleep_past(seen, limit);
}

bool event_count::sleep_past(std::uint64_t seen, wait_limit& limit) {
  while (!limit.passed())
    if (wait_past(seen, limit.next_look())) return true;
  return epoch() != seen;
}

bool event_count::spins_past(std::uint64_t seen, clock::time_point until) const {
  for (auto const sleep_at = std::min(clock::now() + spin_time, until); clock::now() < sleep_at;) {
    if (epoch() != seen) return true;
    std::this_thread::yield();
  }
  return false;
}

bool event_count::spin_then_wait_past(std::uint64_t seen, clock::time_point until) {
  return spins_past(seen, until) || wait_past(seen, until);
}

bool event_count::spin_then_wait_past(std::uint64_t seen, deadline until) {
  wait_limit limit(until);
  if (spins_past(seen, until.at())) return true;
  return sleep_past(seen, limit);
}

void event_count::forward_to(std::shared_ptr<detail::end_listener> other) {
  std::lock_guard const hold(mutex_);
  bool const has = other != nullptr, had = other_ != nullptr;
  other_.swap(other);  // the old one is destroyed after the mutex is released
  if (!had && has) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    epoch();  // makes the writes before a notify() that did not see the sleeper visible to the caller
  }
  if (had && !has) sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void detail::notify(event_count& event) { event.notify(); }
std::uint64_t detail::epoch_of(event_count const& event) noexcept { return event.epoch(); }
bool detail::wait_past(event_count& event, std::uint64_t seen, std::uint32_t milliseconds) {
  return event.wait_past(seen, clock::now() + std::chrono::milliseconds(milliseconds));
}

}  // namespace ballast

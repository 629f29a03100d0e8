// SPDX-License-Identifier: Apache-2.0
#include "ballast/device/doorbell.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ballast::inline device {
namespace {

constexpr auto awake = std::chrono::microseconds(100);

}  // namespace

// Sequential consistency decides the race: either ring() sees the sleeper, or the sleeper sees the ring.
void doorbell::ring() {
  rings_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  { std::lock_guard const hold(mutex_); }
  changed_.notify_all();
}

bool doorbell::wait_past(std::uint64_t seen, clock::time_point until) {
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  bool rung = false;
  {
    std::unique_lock hold(mutex_);
    auto const happened = [&] { return rings() != seen; };
    if (until == clock::time_point::max()) {
      changed_.wait(hold, happened);
      rung = true;
    } else {
      rung = changed_.wait_until(hold, until, happened);
    }
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  return rung;
}

bool doorbell::wait_awake_past(std::uint64_t seen, clock::time_point until) {
  for (auto const sleep_at = std::min(clock::now() + awake, until); clock::now() < sleep_at;) {
    if (rings() != seen) return true;
    std::this_thread::yield();
  }
  return wait_past(seen, until);
}

}  // namespace ballast::inline device
